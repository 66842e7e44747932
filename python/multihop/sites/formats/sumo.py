"""SUMO's floating car data (`--fcd-output`): vehicles and persons step by step, read as a stream.

A point that lies on the straight way between its neighbours, within a decimetre and at the same
speed, is left out, as are all steps beyond the longest run: memory grows with the turns within that
run, not with the file.
"""

from __future__ import annotations

import math
from pathlib import Path

from multihop.sites.content import elements, number
from multihop.sites.form import LONGEST_S, SiteError, Survey, Track

ROOT = "fcd-export"
_NEAR_M = 0.1
_DEGREE_M = 111_195.0
_CHECKED = 400
"""Steps by which coordinates are told to be degrees: those in which something moved."""


class _Vehicle:
    """A track that grows by points that can't be told from its last leg."""

    __slots__ = ("first_s", "last", "track")

    def __init__(self, point: tuple[float, float, float]) -> None:
        self.track, self.first_s, self.last = Track(), point[0], point
        self.track.add(*point)

    def go(self, point: tuple[float, float, float], near: float) -> None:
        """Be at `point`; the last one is kept if it turns or changes speed there."""
        time_s, a, b = self.last
        start = tuple(self.track.values[-3:])
        whole = point[0] - start[0]
        if whole <= 0 or time_s <= start[0]:
            self.last = point
            return
        share = (time_s - start[0]) / whole
        off = math.hypot(
            start[1] + share * (point[1] - start[1]) - a,
            start[2] + share * (point[2] - start[2]) - b,
        )
        if off > near:
            self.track.add(*self.last)
        self.last = point

    def end(self) -> None:
        """Keep the last point."""
        if self.last[0] > self.track.values[-3]:
            self.track.add(*self.last)


def read(path: Path) -> Survey:
    """All vehicles and persons."""
    found = Survey("floating car data of SUMO")
    moving: dict[str, _Vehicle] = {}
    ratios: list[float] = []
    begin = end = at_s = math.nan
    for line, step in elements(path, "timestep"):
        time_s = _need(step.get("time"), "time", line)
        if time_s < at_s:
            raise SiteError(f"line {line}: times must not go back (got {time_s:g} s)")
        begin, at_s = (time_s if math.isnan(begin) else begin), time_s
        there = [each for each in step if each.tag in ("vehicle", "person")]
        if there:
            found.last_s = time_s
        if end >= begin + LONGEST_S:
            continue
        end = time_s
        for each in there:
            name = each.get("id")
            if not name:
                raise SiteError(f"line {line}: a {each.tag} must have an id")
            x, y = (_need(each.get(key), key, line) for key in ("x", "y"))
            speed = number(each.get("speed") or "")
            if name not in moving:
                found.node(name).name = name
                moving[name] = _Vehicle((time_s, x, y))
                continue
            vehicle = moving[name]
            if len(ratios) < _CHECKED and speed and (moved := math.dist(vehicle.last[1:], (x, y))):
                ratios.append(moved / (speed * (time_s - vehicle.last[0])))
            vehicle.go((time_s, x, y), _NEAR_M if not _are_degrees(ratios) else _NEAR_M / _DEGREE_M)
    if not moving:
        raise SiteError("has no vehicle and no person in its timesteps")
    found.in_degrees = _are_degrees(ratios)
    found.begins_s = begin
    for name, vehicle in moving.items():
        vehicle.end()
        found.tracks[name] = vehicle.track
        if found.in_degrees:  # SUMO has x as the longitude
            values = vehicle.track.values
            values[1::3], values[2::3] = values[2::3], values[1::3]
        if vehicle.first_s > begin or vehicle.last[0] < end:
            found.present_s[name] = (vehicle.first_s, vehicle.last[0])
    return found


def _are_degrees(ratios: list[float]) -> bool:
    """Whether what moved at a metre a second moved by a hundred thousandth."""
    return bool(ratios) and sorted(ratios)[len(ratios) // 2] < 1e-3


def _need(told: str | None, key: str, line: int) -> float:
    value = number(told or "")
    if value is None or abs(value) > 1e9:
        raise SiteError(f"line {line}: {key} must be a number")
    return value
