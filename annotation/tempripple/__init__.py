"""The labelling pages of tempripple."""
