"""Heights in GeoTIFFs: where they are, and files that hold none."""

import io
import math
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PIL.TiffImagePlugin import ImageFileDirectory_v2
from pyproj import Transformer

from multihop.sites import SiteError, elevation
from tests.conftest import Called
from tests.test_sites_terrain import a_tile

DEGREES = (1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326)
UTM_33 = (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 2, 3072, 0, 1, 32633)
"""The second's tie point is the middle of a place, the first's is a corner."""


def a_tiff(
    heights: np.ndarray[Any, Any],
    *,
    scale: tuple[float, ...] | None = (0.001, 0.001, 0.0),
    tie: tuple[float, ...] | None = (0, 0, 0, 12.0, 52.0, 0),
    keys: tuple[int, ...] | None = DEGREES,
    compression: str | None = None,
    more: Mapping[int, tuple[int, Any]] | None = None,
) -> bytes:
    """A file; `more` are types and values of other tags."""
    tags = ImageFileDirectory_v2()
    told = {33550: (12, scale), 33922: (12, tie), 34735: (3, keys), **(more or {})}
    for tag, (kind, value) in told.items():
        if value is not None:
            tags.tagtype[tag] = kind
            tags[tag] = value
    held = io.BytesIO()
    Image.fromarray(heights).save(held, "TIFF", compression=compression, tiffinfo=tags)
    return held.getvalue()


def heights_at(content: bytes, folder: Path, *places: tuple[float, float]) -> list[float]:
    file = folder / "heights.tif"
    file.write_bytes(content)
    latitude, longitude = np.array(places).T
    return elevation.read(file).at(latitude, longitude).tolist()


@pytest.mark.parametrize("compression", [None, "tiff_lzw", "tiff_adobe_deflate", "zstd"])
@pytest.mark.parametrize("kind", ["int16", "uint16", "float32"])
def test_a_number_is_in_the_middle_of_its_place(
    kind: str, compression: str | None, tmp_path: Path
) -> None:
    grid = np.array([[10, 20, 30], [40, 50, 9999]], kind)
    file = a_tiff(grid, compression=compression, more={42113: (2, "9999")})
    found = heights_at(
        file, tmp_path,
        (51.9995, 12.0005), (51.9985, 12.0015), (51.999, 12.001), (52, 12), (51.9985, 12.002),
        (52.0001, 12.0005),
    )  # fmt: skip
    assert found[:4] == pytest.approx([10, 50, 30, 10])  # the last is at the edge of the grid
    assert math.isnan(found[4])  # beside a void
    assert math.isnan(found[5])  # outside


def test_metres_of_a_projection_are_where_they_belong(tmp_path: Path) -> None:
    grid = np.arange(12, dtype="float32").reshape(3, 4)
    file = a_tiff(
        grid, scale=(25, 25, 0), tie=(1, 1, 0, 500_025, 5_700_000, 0), keys=UTM_33,
        compression="tiff_adobe_deflate", more={317: (3, 3)},  # the predictor of floating point
    )  # fmt: skip
    back = Transformer.from_crs("EPSG:32633", "EPSG:4326")
    places = [back.transform(500_000 + 25 * c, 5_700_025 - 25 * r) for r, c in ((0, 0), (2, 3))]
    assert heights_at(file, tmp_path, *places) == pytest.approx([0, 11], abs=1e-3)
    matrix = (25, 0, 0, 500_000, 0, -25, 0, 5_700_025, 0, 0, 0, 0, 0, 0, 0, 1)
    other = a_tiff(grid, scale=None, tie=None, keys=UTM_33, more={34264: (12, matrix)})
    assert heights_at(other, tmp_path, *places) == pytest.approx([0, 11], abs=1e-3)


PLAIN = np.zeros((4, 4), "float32")
WHOLE = a_tiff(PLAIN)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"PK\3\4" + bytes(100), "must be a GeoTIFF, or a tile of heights"),
        (b"II*\0" + bytes(100), "is cut off, or no TIFF that can be read"),
        (WHOLE[:40], "is cut off, or no TIFF that can be read"),
        (a_tiff(np.zeros((64, 64), "float32"))[:-9000], "is cut off: has "),
        (a_tiff(PLAIN, scale=None), "has no georeference: neither a scale and a tie point"),
        (a_tiff(PLAIN, keys=None), "has no georeference: no key names a coordinate system"),
        (a_tiff(PLAIN, keys=(*DEGREES[:-1], 32767)), "has no EPSG code; gdalwarp"),
        (a_tiff(PLAIN, keys=(*DEGREES[:-1], 9999)), "EPSG:9999 is no coordinate system"),
        (a_tiff(PLAIN, keys=(*DEGREES[:-1], 5773)), "must be a geographic or a projected"),
        (a_tiff(PLAIN, keys=(*DEGREES, 4099, 0, 1, 9003)), "must be in metres (has unit EPSG:9003"),
        (a_tiff(PLAIN, scale=(0.0, 1.0, 0)), "has a step that is not above 0"),
        (a_tiff(PLAIN, scale=(math.nan, 1.0, 0)), "has no georeference: neither"),
        (a_tiff(np.zeros((4, 4, 3), "uint8")), "a picture has no heights"),
        (a_tiff(PLAIN[:1]), "must have 2 x 2 to 80,000,000 numbers (has 4 x 1)"),
        (
            a_tiff(PLAIN, scale=None, more={34264: (12, (1, 0.5, *[0] * 14))}),
            "is turned against its coordinate system",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_file_without_heights_is_one_line(content: bytes, says: str, tmp_path: Path) -> None:
    with pytest.raises(SiteError) as error:
        heights_at(content, tmp_path, (52, 12))
    assert says in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'heights.tif'}: ")
    assert len(str(error.value).splitlines()) == 1


def changed(tag: int, value: int) -> bytes:
    """The whole file with another value of a tag of 16 bits in it."""
    content = bytearray(WHOLE)
    (at,) = struct.unpack_from("<I", content, 4)
    (count,) = struct.unpack_from("<H", content, at)
    entry = next(
        place for place in range(at + 2, at + 2 + 12 * count, 12)
        if struct.unpack_from("<H", content, place)[0] == tag
    )  # fmt: skip
    struct.pack_into("<HII", content, entry + 2, 4, 1, value)
    return bytes(content)


def test_what_is_not_read_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    for tag, value, says in (
        (259, 34887, "compression must be none, LZW, Deflate"),  # LERC
        (259, 7, "(has TIFF's 7); gdal_translate"),  # JPEG loses heights
        (256, 1_000_000_000, "has 1,000,000,000 x 4"),
    ):
        with pytest.raises(SiteError) as error:
            heights_at(changed(tag, value), tmp_path, (52, 12))
        assert says in str(error.value)


def test_a_damaged_file_is_never_worse_than_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(1)
    whole = a_tiff(np.arange(4096, dtype="int16").reshape(64, 64), compression="tiff_lzw")
    refused = 0
    for _ in range(100):
        damaged = bytearray(whole[: rng.integers(8, len(whole) + 1)])
        for place in rng.integers(4, len(damaged), 4):
            damaged[place] = rng.integers(256)
        try:
            heights_at(bytes(damaged), tmp_path, (51.99, 12.01))
        except SiteError:
            refused += 1
    assert refused > 65
    assert capfd.readouterr() == ("", "")  # libtiff would write lines of its own


def test_a_mesh_over_a_geotiff_has_the_gains_of_the_same_tile(
    tmp_path: Path, called: Called
) -> None:
    (tmp_path / "sites.csv").write_text(
        "name,lat,lon,height_m\nwest,51.5,12.499,8\neast,51.5,12.502,8\n"
    )
    a_tile(tmp_path, 15)
    step = 1 / 1200
    part = np.full((80, 80), 100, "int16")
    part[:, 40] += 15
    file = a_tiff(
        part, scale=(step, step, 0), tie=(40, 40, 0, 12.5, 51.5, 0),
        keys=(*DEGREES[:11], 2, *DEGREES[12:]),
    )  # fmt: skip
    (tmp_path / "part.tif").write_bytes(file)
    links = []
    for name in ("N51E012.hgt", "part.tif"):
        said = called("import", "sites.csv", "--terrain", name, "--out", name[:4])
        assert said.returncode == 0, said.stderr
        links.append((tmp_path / name[:4] / "links.csv").read_text("utf-8"))
    assert links[0] == links[1]
    assert "-1" in links[0]
