"""Text as people have it, as sentences: files of any common format, packing and encoding."""
