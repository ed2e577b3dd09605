"""Semantic relations: confusability matrices of models and people."""
