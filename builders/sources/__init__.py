"""Talks to the outside: SPARQL endpoints and language models."""
