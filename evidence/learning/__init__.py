"""What was learned in environments, and how it fares on networks that it has not seen."""
