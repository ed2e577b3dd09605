"""Semantic relations: lexicons, probes and answers, which every room uses."""
