"""The formats that are imported, one a file; `registry` lists them."""
