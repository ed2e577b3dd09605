"""Japanese analysis: what an analyser gives, GiNZA and KNP, and running them over shards of text."""
