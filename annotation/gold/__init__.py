"""Questions whose answer is known: mixed in to check people, or given before to train them."""
