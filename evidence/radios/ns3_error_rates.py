"""Frame error rates over signal to noise of ns-3's error models, as CSV.

`python evidence/radios/ns3_error_rates.py tests/reference/ns3/error_rates.csv`, with the package
`ns3==3.44.post0` installed. A frame is 1000 bytes of payload; only rates between a thousandth and
99 % are written, a quarter of a decibel apart.
"""

import csv
import sys
from pathlib import Path

from ns import ns  # type: ignore[import-not-found]

BITS = 8 * 1000
FORMS = [
    ("dbpsk", "DsssRate1Mbps"),
    ("dqpsk", "DsssRate2Mbps"),
    ("cck4", "DsssRate5_5Mbps"),
    ("cck8", "DsssRate11Mbps"),
    ("bpsk-1/2", "OfdmRate6Mbps"),
    ("bpsk-3/4", "OfdmRate9Mbps"),
    ("qpsk-1/2", "OfdmRate12Mbps"),
    ("qpsk-3/4", "OfdmRate18Mbps"),
    ("qam16-1/2", "OfdmRate24Mbps"),
    ("qam16-3/4", "OfdmRate36Mbps"),
    ("qam64-2/3", "OfdmRate48Mbps"),
    ("qam64-3/4", "OfdmRate54Mbps"),
    ("qam64-5/6", "HtMcs7"),
    ("qam256-3/4", "VhtMcs8"),
    ("qam256-5/6", "VhtMcs9"),
    ("qam1024-3/4", "HeMcs10"),
    ("qam1024-5/6", "HeMcs11"),
]


def main() -> None:
    """Write the table."""
    model = ns.CreateObject["NistErrorRateModel"]()
    vector = ns.WifiTxVector()
    rows = []
    for form, name in FORMS:
        mode = ns.WifiMode(name)
        vector.SetMode(mode)
        for quarters in range(-40, 180):
            snr_db = quarters / 4
            share = 1 - model.GetChunkSuccessRate(mode, vector, 10 ** (snr_db / 10), BITS)
            if 1e-3 < share < 0.99:
                rows.append([form, snr_db, f"{share:.6g}"])
    with Path(sys.argv[1]).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["coding", "snr_db", "frame_error_rate"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
