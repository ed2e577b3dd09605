"""Tasks out and judgments in: push, pull, what people said, and simulated people."""
