"""What the reports of all suites share: the page, its style, the drawing of figures."""
