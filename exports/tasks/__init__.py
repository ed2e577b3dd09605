"""Task files in a release: what a suite asks, said once (`task`), and written for programs that evaluate models."""
