"""Scores language models: models, the scoring engine, metrics, plots, the report."""
