"""The labelling pages of semrel."""
