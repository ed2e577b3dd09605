"""Questions of confirmed pairs: which consequents are wrong options, and which part a question is in."""
