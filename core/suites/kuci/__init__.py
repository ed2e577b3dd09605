"""KUCI: its words, which every room uses."""
