"""The labelling pages of proverbs."""
