"""The release of tempripple: what goes in, its checks, its card."""
