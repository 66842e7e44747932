"""Colours that all pictures share."""

COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9",
    "#332288", "#882255", "#999933", "#661100",
)  # fmt: skip
"""Okabe and Ito's palette, which colour-blind readers can distinguish, then some of Tol's."""
