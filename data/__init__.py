"""Small real inputs that a first run uses."""
