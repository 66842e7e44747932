"""Says what to install where the extra `gym` is missing; imported before what needs it."""

from multihop.extras import need

EXTRA = "gym"

need(EXTRA, "multihop.gym")
