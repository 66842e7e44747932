"""Campaigns: the programs that made the numbers of the pages beside them."""
