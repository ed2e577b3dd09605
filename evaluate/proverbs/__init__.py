"""Proverbs: self-evaluation and text consistency of pairs."""
