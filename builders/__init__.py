"""Makes candidates: one module for each thing that is generated."""
