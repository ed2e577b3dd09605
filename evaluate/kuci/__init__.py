"""KUCI: accuracy of encoders, language models and baselines."""
