"""The labelling pages of myriadlama."""
