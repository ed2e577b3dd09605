"""MyriadLAMA: what several rooms need of it."""
