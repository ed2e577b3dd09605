"""Candidates of suites that are one file: from a table, a language model, a query, or a function of the user's."""
