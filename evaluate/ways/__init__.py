"""Ways of asking a model: options, letters, generation, entailment, fine-tuning; no suite is known here."""
