"""Suites that are one TOML file: what their section `[evaluate]` asks of models, and the page of their scores."""
