"""Answers in words: which count, and who answers carelessly."""
