"""The release of kuci: what goes in, its checks, its card."""
