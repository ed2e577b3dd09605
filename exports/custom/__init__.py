"""Releases of suites that are one file: a configuration a kind, its columns, and what people said of each item."""
