"""TempRIPPLE: facts that changed, their history, related facts, and questions."""
