"""How good the votes are: agreement with intervals, each annotator's measures, and what a choice among them changes."""
