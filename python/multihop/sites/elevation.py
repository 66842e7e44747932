"""Heights of the ground by place, from files of SRTM (`.hgt`) or GeoTIFF."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from multihop import files
from multihop.sites.form import SiteError
from multihop.sites.grid import Heights, interpolated

MOST_BYTES = 512 << 20
_VOID = -32768
_NAME = re.compile(r"([NS])(\d{2})([EW])(\d{3})", re.IGNORECASE)
_SIDES = {1201**2 * 2: 1201, 3601**2 * 2: 3601}
_TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
"""How a TIFF begins, and one of more than 4 GiB."""


class Elevation(Protocol):
    """Heights above the sea of a part of the Earth."""

    def at(self, latitude: Heights, longitude: Heights) -> Heights:
        """Heights [m] at places [degrees]; NaN outside, and where they are void."""


def read(path: Path) -> Elevation:
    """The heights in a file.

    Raises:
        MissingExtraError: it is a GeoTIFF, and the extra `sites` is not installed.
        SiteError: it holds no heights; naming the file and what is allowed.
        OSError: it can't be read.
    """
    content = files.read_bytes(path, MOST_BYTES)
    if not content.startswith(_TIFF):
        return Tile.of(path, content)
    from multihop.sites.geotiff import GeoTiff

    try:
        return GeoTiff.of(content)
    except SiteError as error:
        raise SiteError(f"{path}: {error}") from None


@dataclass(frozen=True, slots=True)
class Tile:
    """Heights above the sea [m] of a degree by a degree, north to south and west to east."""

    south: int
    west: int
    heights_m: npt.NDArray[np.int16]

    @classmethod
    def of(cls, path: Path, content: bytes) -> Tile:
        """A tile of SRTM's form: 1201 or 3601 rows of big-endian numbers, its corner in the name.

        Raises:
            SiteError: it is none; naming the file and what is allowed.
        """
        name = _NAME.search(path.name)
        side = _SIDES.get(len(content))
        if name is None or side is None:
            raise SiteError(
                f"{path}: must be a GeoTIFF, or a tile of heights, N51E012.hgt, of 1201 x 1201 or "
                f"3601 x 3601 numbers of 2 bytes (has {len(content):,} bytes)"
            )
        south = int(name[2]) * (1 if name[1] in "Nn" else -1)
        west = int(name[4]) * (1 if name[3] in "Ee" else -1)
        return cls(south, west, np.frombuffer(content, dtype=">i2").reshape(side, side))

    def at(self, latitude: Heights, longitude: Heights) -> Heights:
        """As `Elevation.at`."""
        last = len(self.heights_m) - 1
        row, column = (self.south + 1 - latitude) * last, (longitude - self.west) * last
        return interpolated(self.heights_m, _VOID, row, column)
