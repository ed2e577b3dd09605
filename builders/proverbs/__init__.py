"""Proverbs: pairs that differ in one word, as questions."""
