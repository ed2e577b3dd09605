"""KNP: its processes, files of its output, and what is made of it."""
