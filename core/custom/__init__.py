"""Suites that are one TOML file: its form, its reading, and the suite that is made of it.

The rooms' parts of such a suite lie in `builders/custom`, `annotation/custom`, `exports/custom` and `evaluate/custom`.
"""
