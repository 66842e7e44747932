"""How often the causes of silences that explain finds are right."""
