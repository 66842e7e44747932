"""What makes generated pages and types: run by `make` and by the site's build."""
