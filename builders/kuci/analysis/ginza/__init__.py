"""GiNZA, and the rules that make clauses and relations of its parse."""
