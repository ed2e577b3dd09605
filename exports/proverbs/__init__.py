"""The release of proverbs: what goes in, its checks, its card."""
