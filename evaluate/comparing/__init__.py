"""Models side by side: which systems may be compared, on which items, and what comes of it; for all suites."""
