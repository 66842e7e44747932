"""A mesh whose gains follow from the ground between its nodes, and a picture of one link's."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from multihop.extras import need
from multihop.foreign import line, shown
from multihop.sites import buildings, elevation, longley_rice, terrain
from multihop.sites.buildings import Buildings
from multihop.sites.clutter import KINDS, STREET_M, Clutter
from multihop.sites.elevation import Elevation
from multihop.sites.form import SiteError, counted, shortened
from multihop.sites.mesh import Mesh

FREQUENCY_HZ = 2.437e9
MAST_M = 6.0
"""Of an antenna whose height is not in the files: a gutter's."""
_MOST_NODES = 500


MODELS = {
    "p526": (
        terrain.gain_db,
        "free space (ITU-R P.525) and one knife edge (P.526-15, Bullington)",
    ),
    "itm": (
        longley_rice.gain_db,
        "the median of Longley and Rice (ITM 1.2.2, average ground, continental temperate), of "
        "links below 1 km free space and one knife edge (ITU-R P.525, P.526-15)",
    ),
}
"""How gains follow from the ground, by name, and in words."""


def lay(
    mesh: Mesh,
    tiles: Sequence[Elevation],
    model: str = "p526",
    houses: Buildings | None = None,
    around: str | None = None,
) -> None:
    """Give the mesh the gains that the ground, by one of `MODELS`, and what stands on it leave.

    `around` is one of `clutter.KINDS`, around all antennas.

    Raises:
        SiteError: links are measured, places are missing or in metres, or no tile has the ground.
    """
    if mesh.gains or mesh.tracks:
        raise SiteError("--terrain is for nodes that stay and whose links nobody measured")
    places = [place for place in mesh.degrees if place is not None]
    if len(places) < len(mesh.names):
        raise SiteError("--terrain needs latitude and longitude of every node")
    if len(places) > _MOST_NODES:
        raise SiteError(f"--terrain takes {_MOST_NODES} nodes at most (got {len(places):,})")
    masts_m = _masts_m(mesh)
    begins_m, taken_db = _among(masts_m, KINDS[around] if around else None)
    gain_db, told = MODELS[model]
    a_wall_db = buildings.wall_db(FREQUENCY_HZ)

    def walls_db(ends: terrain.Ends, ground: terrain.Profile) -> float:
        return a_wall_db * houses.crossed(ends, ground) if houses is not None else 0.0

    found = terrain.gains(tiles, places, begins_m, FREQUENCY_HZ, gain_db, walls_db, taken_db)
    if not found:
        raise SiteError("no two nodes hear each other over this ground")
    for a, b, gain in found:
        mesh.gains += [(a, b, gain, "terrain"), (b, a, gain, "terrain")]
    mesh.gains.sort()
    left_out = "" if around else " trees or" if houses else " houses, trees or"
    lacking = sum(mast is None for mast in mesh.masts_m)
    mesh.notes.append(
        f"Gains follow from the ground in {counted(len(tiles), 'file')}: {told} at 2.437 GHz; no"
        f"{left_out} antenna gains."
    )
    if around is not None:
        low, high = f"{min(taken_db):.1f}", f"{max(taken_db):.1f}"
        mesh.notes.append(
            f"Around antennas {around} clutter of {KINDS[around].height_m:g} m (ITU-R P.2108-1, "
            f"section 3.1, streets of {STREET_M:g} m): it takes "
            f"{low if low == high else f'{low} to {high}'} dB at an antenna, "
            "too much between neighbours in one street."
        )
    if houses is not None:
        mesh.notes.append(
            f"Each outer wall of a building on the way, below its roof, takes {a_wall_db:.1f} dB "
            "(median of ITU-R P.2109, traditional); "
            f"{counted(houses.lacking, 'building')} without a height left out."
        )
    if lacking:
        mesh.notes.append(
            f"{counted(lacking, 'antenna')} without a height: {MAST_M:g} m above the ground."
        )


def _masts_m(mesh: Mesh) -> list[float]:
    return [MAST_M if mast is None else mast for mast in mesh.masts_m]


def _among(masts_m: list[float], around: Clutter | None) -> tuple[list[float], list[float]]:
    """Above the ground, where the path over it begins at each antenna, and what clutter takes."""
    if around is None:
        return masts_m, [0.0] * len(masts_m)
    begins_m = [max(mast, around.height_m) for mast in masts_m]
    return begins_m, [around.loss_db(mast, FREQUENCY_HZ) for mast in masts_m]


def picture(
    mesh: Mesh, tiles: Sequence[Elevation], ends: tuple[str, str], around: str | None = None
) -> bytes:
    """A PNG of the ground between two nodes, the line of sight and its first Fresnel zone.

    With clutter the line begins at its height, and the title says what it takes at both ends.

    Raises:
        MissingExtraError: matplotlib is not installed.
        SiteError: no node has such a name.
    """
    need("report", "a picture of a profile")
    from matplotlib.figure import Figure

    nodes = []
    for name in ends:
        if name not in mesh.names:
            raise SiteError(f"--profile: no node is called {shortened(name)}")
        nodes.append(mesh.names.index(name))
    a, b = nodes
    here, there = mesh.degrees[a], mesh.degrees[b]
    assert here is not None
    assert there is not None
    begins_m, taken_db = _among(_masts_m(mesh), KINDS[around] if around else None)
    ground = terrain.profile(tiles, (here, there), (begins_m[a], begins_m[b]))
    d, curved, sight = ground.distance_km, ground.bulged_m(), ground.line_m()
    zone = terrain.fresnel_m(ground, FREQUENCY_HZ)
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots()
    floor = min(curved.min(), sight.min()) - 10
    axes.fill_between(d, floor, curved, color="#B9B4A7", linewidth=0)
    axes.fill_between(d, sight - zone, sight + zone, color="#0072B2", alpha=0.15, linewidth=0)
    axes.plot(d, sight, color="#0072B2", linewidth=1.2)
    lost = terrain.diffraction_db(ground, FREQUENCY_HZ)
    free = terrain.free_space_db(float(d[-1]), FREQUENCY_HZ)
    told = f"{line(ends[0])} to {line(ends[1])}: {d[-1]:.2f} km"
    title = f"{told}, free space {free:.0f} dB, the ground {lost:.0f} dB more"
    if around is not None:
        title += f", {around} clutter {taken_db[a]:.0f} and {taken_db[b]:.0f} dB"
    axes.set_title(shown(title), loc="left", fontsize=10, parse_math=False)
    axes.set(
        xlabel="km", ylabel="metres above the sea, the Earth's curve included",
        xlim=(0, d[-1]), ylim=(floor, None),
    )  # fmt: skip
    axes.spines[["top", "right"]].set_visible(False)
    held = io.BytesIO()
    figure.savefig(held, format="png", dpi=130)
    return held.getvalue()


def tiles_of(paths: Sequence[Path]) -> list[Elevation]:
    """The heights in these files."""
    return [elevation.read(path) for path in paths]
