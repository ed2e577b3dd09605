"""Semantic relations: probes and relata."""
