"""Basic events: counted in text, or from Kyoto University's case frames."""
