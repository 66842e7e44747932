"""Random changes of an input, where there is no coverage to go by."""

from __future__ import annotations

import random
from collections.abc import Sequence

MOST = 64 * 1024
_NUMBER_CHARACTERS = b"0123456789.-+e"


def mutated(
    data: bytes, others: Sequence[bytes], words: Sequence[str], chance: random.Random
) -> bytes:
    """`data` after one to six changes: bytes, numbers, lines, words, parts of other inputs."""
    for _ in range(chance.randint(1, 6)):
        change = chance.choice(_CHANGES)
        data = change(data, others, words, chance)[:MOST]
    return data


def _place(data: bytes, chance: random.Random) -> int:
    return chance.randint(0, len(data))


def _flip(data: bytes, _others: object, _words: object, chance: random.Random) -> bytes:
    place = _place(data, chance)
    changed = bytes([chance.randrange(256)]) if chance.random() < 0.5 else b""
    return data[:place] + changed + data[place + 1 :]


def _cut(data: bytes, _others: object, _words: object, chance: random.Random) -> bytes:
    first, last = sorted((_place(data, chance), _place(data, chance)))
    return data[:first] + data[last:] if chance.random() < 0.7 else data[:first]


def _lines(data: bytes, _others: object, _words: object, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    if lines:
        line = chance.choice(lines)
        if chance.random() < 0.5:
            lines.remove(line)
        else:
            lines.insert(chance.randint(0, len(lines)), line)
    return b"".join(lines)


def _number(data: bytes, _others: object, _words: object, chance: random.Random) -> bytes:
    places = [place for place, byte in enumerate(data) if byte in b"0123456789"]
    if not places:
        return data
    first = last = chance.choice(places)
    while last < len(data) and data[last] in _NUMBER_CHARACTERS:
        last += 1
    value = chance.choice(["0", "-1", "1e308", "0.5", "65536", "1e-300", "nan", "4294967296", "3"])
    return data[:first] + value.encode() + data[last:]


def _word(data: bytes, _others: object, words: Sequence[str], chance: random.Random) -> bytes:
    place = _place(data, chance)
    return data[:place] + (chance.choice(words).encode() if words else b"\0") + data[place:]


def _splice(data: bytes, others: Sequence[bytes], _words: object, chance: random.Random) -> bytes:
    other = chance.choice(others)
    first, last = sorted((_place(other, chance), _place(other, chance)))
    place = _place(data, chance)
    return data[:place] + other[first:last] + data[place:]


_CHANGES = (_flip, _flip, _cut, _lines, _number, _number, _word, _splice)
