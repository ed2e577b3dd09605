"""MyriadLAMA: BELIEF over many prompts."""
