"""The release of myriadlama: what goes in, its checks, its card."""
