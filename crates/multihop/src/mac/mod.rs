//! Medium access: the IEEE 802.11 distributed coordination function.
