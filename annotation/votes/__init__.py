"""From judgments to verdicts: votes, ties, agreement."""
