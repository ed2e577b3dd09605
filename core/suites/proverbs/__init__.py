"""Proverbs: their words, which every room uses."""
