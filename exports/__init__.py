"""Releases: schemas, checks, cards, Parquet, publishing."""
