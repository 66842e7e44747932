"""The Linux kernel's TCP over a wire of known rate, delay, buffer and losses, and what it did.

As root: `python -m evidence.kernel_tcp record`, `python -m evidence.kernel_tcp grid`; see
evidence/kernel-tcp.md.
"""
