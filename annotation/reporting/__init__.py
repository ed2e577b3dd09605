"""How the judging goes, for those who look after it: `annotate report`, one page of HTML from what was pulled."""
