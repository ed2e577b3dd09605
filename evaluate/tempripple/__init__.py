"""TempRIPPLE: four-choice accuracy without and with the new fact."""
