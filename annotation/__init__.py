"""Label Studio: pages, push, pull, validation, votes, agreement."""
