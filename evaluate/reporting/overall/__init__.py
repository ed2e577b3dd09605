"""One page over all suites of a working directory: how far each is, and the main score of each model."""
