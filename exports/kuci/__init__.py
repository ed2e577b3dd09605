"""The release of KUCI: what goes in, its checks, its card."""
