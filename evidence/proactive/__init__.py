"""OLSR and DSDV beside ns-3.44."""
