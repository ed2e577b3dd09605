"""The labelling pages of kuci."""
