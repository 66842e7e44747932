"""Reports: pages with a study's question, figures, tables and data.

Import from its modules: what writes pages and pictures needs the extra `report`, the rest does not.
"""
