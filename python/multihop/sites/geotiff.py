"""Heights of the ground in a GeoTIFF: OGC 19-008r4, the tags and keys that place a grid.

The grid is read with Pillow, which knows the usual compressions. What places it is read here: a
scale and a tie point, or a matrix without rotation, and a coordinate system by its EPSG code.
"""

from __future__ import annotations

import io
import math
import os
import struct
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multihop.extras import need
from multihop.foreign import line
from multihop.sites.form import SiteError
from multihop.sites.grid import Heights, interpolated

if TYPE_CHECKING:
    from pyproj import Transformer

_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _SAMPLES = 256, 257, 258, 259, 277
_SCALE, _TIE, _MATRIX, _KEYS, _NODATA = 33550, 33922, 34264, 34735, 42113
_RASTER, _GEOGRAPHIC, _PROJECTED, _VERTICAL_UNITS = 1025, 2048, 3072, 4099
_POINT, _METRE, _USER_DEFINED = 2, 9001, 32767
_MARGIN = 0.5001
"""A number is of half a step around it; and rounding leaves no gap between two files."""
_MOST_NUMBERS = 80_000_000
_COMPRESSIONS = {1, 5, 8, 32773, 32946, 34925, 50000}
"""None, LZW, Deflate by both its numbers, PackBits, LZMA, Zstandard: all without loss."""
_FAULTS = (
    OSError, ValueError, TypeError, KeyError, IndexError, SyntaxError, OverflowError, MemoryError,
    struct.error,
)  # fmt: skip
"""What Pillow raises for a file that is cut off or wrong inside."""
Tags = Mapping[int, Any]


@dataclass(frozen=True, slots=True)
class GeoTiff:
    """A grid of heights [m] in some coordinate system."""

    heights_m: npt.NDArray[Any]
    void: float | None
    west: float
    """Where the middle of the first column is, in the units of the coordinate system."""
    north: float
    """Where the middle of the first row is."""
    step_east: float
    step_south: float
    to_grid: Transformer
    """From longitude and latitude [degrees, WGS 84]."""

    @classmethod
    def of(cls, content: bytes) -> GeoTiff:
        """The grid in a file.

        Raises:
            MissingExtraError: Pillow or pyproj is not installed.
            SiteError: it can't be read, is no grid of heights, or nothing says where it is.
        """
        need("sites", "a GeoTIFF")
        tags, grid = _read(content)
        keys = _keys(tags)
        west, north, step_east, step_south = _placed(tags)
        if (
            keys.get(_RASTER) != _POINT
        ):  # the tie point is a corner of the place that a number is of
            west, north = west + step_east / 2, north - step_south / 2
        if keys.get(_VERTICAL_UNITS, _METRE) not in (_METRE, _USER_DEFINED):
            raise SiteError(f"heights must be in metres (has unit EPSG:{keys[_VERTICAL_UNITS]})")
        return cls(grid, _void(tags), west, north, step_east, step_south, _to_grid(keys))

    def at(self, latitude: Heights, longitude: Heights) -> Heights:
        """As `elevation.Elevation.at`."""
        x, y = self.to_grid.transform(longitude, latitude)
        with np.errstate(all="ignore"):  # places outside are infinite, or none
            column = (np.asarray(x, float) - self.west) / self.step_east
            row = (self.north - np.asarray(y, float)) / self.step_south
        return interpolated(self.heights_m, self.void, row, column, _MARGIN)


def _read(content: bytes) -> tuple[Tags, npt.NDArray[Any]]:
    """The tags and the grid."""
    from PIL import TiffImagePlugin

    header = content[: 16 if content[2:4] in (b"+\0", b"\0+") else 8]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of tags that nothing here needs
            tags = TiffImagePlugin.ImageFileDirectory_v2(header)
            held = io.BytesIO(content)
            held.seek(tags.next)
            tags.load(held)
            told = dict(tags)
            _check(told, len(content))
            held.seek(0)
            with TiffImagePlugin.TiffImageFile(held) as image, _silent():
                return told, np.asarray(image)
    except SiteError:
        raise
    except _FAULTS as error:
        why = f" ({line(str(error))})" if str(error) else ""
        raise SiteError(f"is cut off, or no TIFF that can be read{why}") from None


def _check(tags: Tags, size: int) -> None:
    """Refuse what is no grid of heights, or not all of it, before it is unpacked."""
    width, height, bits = tags[_WIDTH], tags[_HEIGHT], max(tags[_BITS])
    compression = tags.get(_COMPRESSION, 1)
    if compression not in _COMPRESSIONS:
        raise SiteError(
            f"compression must be none, LZW, Deflate, PackBits, LZMA or Zstandard (has TIFF's "
            f"{compression}); gdal_translate -co COMPRESS=DEFLATE changes it"
        )
    samples = tags.get(_SAMPLES, 1)
    if samples != 1 or bits < 16:
        raise SiteError(
            f"must have one number of 16 bits or more at each place (has {samples} of {bits}): "
            "a picture has no heights"
        )
    if min(width, height) < 2 or width * height > _MOST_NUMBERS:
        raise SiteError(
            f"must have 2 x 2 to {_MOST_NUMBERS:,} numbers (has {width:,} x {height:,}); "
            "gdal_translate -projwin cuts out a part"
        )
    for offsets, counts in ((273, 279), (324, 325)):  # of strips, of tiles
        parts = zip(tags.get(offsets, ()), tags.get(counts, ()), strict=False)
        end = max((offset + count for offset, count in parts), default=0)
        if end > size:
            raise SiteError(f"is cut off: has {size:,} of {end:,} bytes")


@contextmanager
def _silent() -> Iterator[None]:
    """Keep libtiff from writing its own lines about a wrong file to standard error."""
    try:
        told, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:  # there is none
        yield
        return
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(told, 2)
        os.close(told)
        os.close(nowhere)


def _numbers(tags: Tags, tag: int) -> tuple[float, ...]:
    """The finite numbers of a tag; none if it has anything else."""
    value = tags.get(tag, ())
    told = value if isinstance(value, tuple) else (value,)
    if not all(isinstance(number, Real) and math.isfinite(number) for number in told):
        return ()
    return tuple(float(number) for number in told)


def _keys(tags: Tags) -> dict[int, int]:
    """The keys whose values are whole numbers: section 7.1.2."""
    directory = [int(number) for number in _numbers(tags, _KEYS)]
    return {
        directory[k]: directory[k + 3]
        for k in range(4, len(directory) - 3, 4)
        if directory[k + 1] == 0
    }


def _placed(tags: Tags) -> tuple[float, float, float, float]:
    """Where the tie point of the first number is, and the steps to the east and to the south."""
    scale, tie, matrix = (_numbers(tags, tag) for tag in (_SCALE, _TIE, _MATRIX))
    if len(scale) >= 2 and len(tie) >= 6:
        step_east, step_south = scale[:2]
        west, north = tie[3] - tie[0] * step_east, tie[4] + tie[1] * step_south
    elif len(matrix) == 16:
        if matrix[1] or matrix[4]:
            raise SiteError("is turned against its coordinate system; gdalwarp makes it straight")
        (west, north), step_east, step_south = (matrix[3], matrix[7]), matrix[0], -matrix[5]
    else:
        raise SiteError("has no georeference: neither a scale and a tie point nor a matrix")
    if step_east <= 0 or step_south <= 0:
        raise SiteError("its georeference has a step that is not above 0")
    return west, north, step_east, step_south


def _void(tags: Tags) -> float | None:
    try:
        return float(tags[_NODATA].strip("\0 "))
    except (KeyError, ValueError, AttributeError):
        return None


def _to_grid(keys: Mapping[int, int]) -> Transformer:
    from pyproj import CRS, Transformer
    from pyproj.exceptions import ProjError

    code = keys.get(_PROJECTED) or keys.get(_GEOGRAPHIC)
    if code is None:
        raise SiteError("has no georeference: no key names a coordinate system")
    try:
        if code == _USER_DEFINED:
            raise SiteError(
                "its coordinate system has no EPSG code; gdalwarp -t_srs EPSG:4326 gives it one"
            )
        system = CRS.from_epsg(code)
        if not (system.is_projected or system.is_geographic):
            raise SiteError(f"EPSG:{code} must be a geographic or a projected coordinate system")
        return Transformer.from_crs("EPSG:4326", system, always_xy=True)
    except ProjError:
        raise SiteError(f"EPSG:{code} is no coordinate system that PROJ knows") from None
