"""The smallest part of a release that gives every number within a margin."""
