"""KUCI: pairs of basic events in Japanese text, and questions made of them."""
