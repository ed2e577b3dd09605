"""One TOML file a suite, with the published settings as defaults."""
