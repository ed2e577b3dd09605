"""MyriadLAMA: facts, aliases and templates."""
