"""The checks before a release: what is wrong with its content, as far as a program can see."""
