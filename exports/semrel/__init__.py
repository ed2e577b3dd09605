"""The release of semrel: what goes in, its checks, its card."""
