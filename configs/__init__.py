"""One TOML file a suite, with the packaged settings as defaults."""
