"""From judgments to verdicts: votes, ties, adjudication, agreement."""
