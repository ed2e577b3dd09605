"""What reports of all rooms share: their style, how values look, the drawing of figures."""
