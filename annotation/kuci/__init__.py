"""The labelling pages of KUCI."""
