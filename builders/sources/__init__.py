"""Talks to the outside: SPARQL endpoints."""
