"""Where schemes lose what a schedule could carry."""
