"""Reading strangers' files: bounded, as text, as JSON whose faults have a place, or as XML.

XML is read as a stream, without a tree; a document type is refused, as entities come with it.
"""

from __future__ import annotations

import codecs
import gzip
import io
import json
import math
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Tree
from xml.parsers import expat

from multihop import files, json_text
from multihop.sites import zipped
from multihop.sites.form import SiteError, shortened

MOST_TEXT_BYTES = 64 << 20
"""Of a file that is read whole."""
MOST_STREAM_BYTES = 4 << 30
"""Of one that is read piece by piece."""
_DEEPEST_XML = 100
MOST_LINE = 16 << 20
"""Characters of a line of a file that is read line by line."""
_MOST_INSIDE, _MOST_CHARACTERS = 300_000, 16 << 20
"""Elements and characters of the part of an XML file that is held at a time."""
_PIECE = 1 << 16


def head(path: Path, size: int = 1 << 16) -> bytes:
    """The beginning of a file, unpacked.

    Raises:
        OSError: it can't be read, or is no regular file.
        SiteError: it is not what its name says.
    """
    return next(_pieces(path, size), b"")


def text(path: Path) -> str:
    """What a file holds, with line feeds alone: UTF-8, UTF-16 with a mark, or Windows-1252.

    Raises:
        OSError: it can't be read, is no regular file or too large.
    """
    if path.suffix.lower() == ".gz":
        held = bytearray()
        for piece in _pieces(path, _PIECE):
            held += piece
            if len(held) > MOST_TEXT_BYTES:
                raise SiteError(f"unpacks to more than {MOST_TEXT_BYTES >> 20} MiB")
        return decoded(bytes(held))
    return decoded(files.read_bytes(path, MOST_TEXT_BYTES))


def decoded(content: bytes) -> str:
    """The same of bytes that were read."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        told = content.decode("utf-16", "replace")
    else:
        try:
            told = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            told = content.decode("cp1252", "replace")
    return told.replace("\r\n", "\n").replace("\r", "\n")


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """All lines with their numbers from 1, read one at a time; what is no UTF-8 is replaced.

    Raises:
        OSError: it can't be read, is no regular file or too large.
        SiteError: a line is too long.
    """
    number, held = 1, list[str]()
    for piece in _characters(path):
        first, *others = piece.split("\n")
        held.append(first)
        if sum(map(len, held)) > MOST_LINE:
            raise SiteError(f"line {number}: has more than {MOST_LINE >> 20} MiB")
        for row in others:
            yield number, "".join(held)
            number, held = number + 1, [row]
    if last := "".join(held):
        yield number, last


def _characters(path: Path) -> Iterator[str]:
    """A file's text, with line feeds alone."""
    utf16 = head(path, 2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    decoder = codecs.getincrementaldecoder("utf-16" if utf16 else "utf-8-sig")("replace")
    newlines = io.IncrementalNewlineDecoder(decoder, translate=True)
    for piece in _pieces(path, _PIECE):
        yield newlines.decode(piece)
    yield newlines.decode(b"", final=True)


def number(written: str) -> float | None:
    """A finite number, with a decimal point or comma; None if it is none."""
    if not re.fullmatch(r"\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*", written, re.ASCII):
        return None
    found = float(written.replace(",", "."))
    return found if math.isfinite(found) else None


def _pieces(path: Path, size: int) -> Iterator[bytes]:
    told = path.stat()
    if told.st_size > MOST_STREAM_BYTES or not path.is_file():
        files.read_bytes(path, MOST_STREAM_BYTES)  # says what is wrong
    if zipped.is_archive(path):
        yield from zipped.pieces(path, size)
        return
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    read = 0
    with opened(path, "rb") as file:
        while True:
            try:
                piece = file.read(size)
            except (gzip.BadGzipFile, zlib.error, EOFError):
                raise SiteError("is no gzip file, or is cut short") from None
            if not piece:
                return
            read += len(piece)
            if read > MOST_STREAM_BYTES:
                raise SiteError(f"unpacks to more than {MOST_STREAM_BYTES >> 30} GiB")
            yield piece


class Part:
    """A value in a JSON file, with its path for errors."""

    __slots__ = ("path", "text", "value")

    def __init__(self, value: Any, text: str, path: str = "") -> None:
        self.value = value
        self.text = text
        self.path = path

    @classmethod
    def of(cls, text: str) -> Part:
        """The whole of a JSON file.

        Raises:
            SiteError: it is not JSON.
        """
        try:
            return cls(json_text.bounded(text.encode("utf-8", "replace")), text)
        except json.JSONDecodeError as error:
            told = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
            raise SiteError(f"line {error.lineno}: {told}") from None
        except ValueError as error:
            raise SiteError(f"not JSON that can be read: {error}"[:120]) from None

    def get(self, *keys: str) -> Part | None:
        """What is at these keys, one in the other; None if one is missing or null."""
        part = self
        for key in keys:
            if not isinstance(part.value, dict) or part.value.get(key) is None:
                return None
            part = Part(part.value[key], self.text, f"{part.path}.{key}".lstrip("."))
        return part

    def need(self, key: str) -> Part:
        """The same of a key that has to be there."""
        found = self.get(key)
        if found is None:
            raise self.fault(f"needs the key {key}")
        return found

    def each(self) -> Iterator[Part]:
        """The parts of a list, or the values of an object."""
        if isinstance(self.value, list):
            pairs: Any = enumerate(self.value)
        elif isinstance(self.value, dict):
            pairs = self.value.items()
        else:
            raise self.fault("must be a list or an object")
        for key, value in pairs:
            yield Part(value, self.text, f"{self.path}.{key}".lstrip("."))

    def name(self) -> str:
        """A text, or a number as text."""
        if isinstance(self.value, bool) or not isinstance(self.value, (str, int, float)):
            raise self.fault("must be text")
        return str(self.value).strip()

    def number(self, least: float, most: float, unit: str = "") -> float:
        """A number from `least` to `most`, which may stand in quotation marks."""
        value = self.value
        found = number(value) if isinstance(value, str) else value
        is_number = isinstance(found, (int, float)) and not isinstance(found, bool)
        if found is None or not is_number or not least <= found <= most:
            told = f"must be a number from {least:g} to {most:g}{unit and f' {unit}'}"
            raise self.fault(f"{told} (got {shortened(str(value))})")
        return float(found)

    def is_true(self, key: str) -> bool:
        """Whether a flag is set."""
        found = self.get(key)
        return found is not None and found.value is True

    def fault(self, what: str) -> SiteError:
        """An error with the line and the key of this part."""
        place = shortened(self.path)
        row = json_text.line_of(self.text, self.path) if self.path else None
        where = f"line {row}: " if row else ""
        return SiteError(f"{where}{place}: {what}" if place else f"{where}{what}")


class _Events:
    """Builds the parts that are wanted, from what expat tells."""

    def __init__(self, wanted: frozenset[str], begun: frozenset[str]) -> None:
        self.wanted, self.begun, self.ready = wanted, begun, list[tuple[int, Tree.Element]]()
        self._open: list[Tree.Element] = []
        self._begun = self._depth = self._inside = self._characters = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._data
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse

    def _refuse(self, *_told: object) -> None:
        raise SiteError(
            f"line {self.parser.CurrentLineNumber}: has a document type (<!DOCTYPE ...>), which "
            "could define entities; only XML without one is read"
        )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST_XML:
            raise SiteError(
                f"line {self.parser.CurrentLineNumber}: elements are nested more than "
                f"{_DEEPEST_XML} deep"
            )
        tag = name.rpartition(":")[2]
        if not self._open and tag not in self.wanted:
            if tag in self.begun:
                begun = Tree.Element(tag, attributes)
                self.ready.append((self.parser.CurrentLineNumber, begun))
            return
        element = Tree.Element(tag, attributes)
        if self._open:
            self._inside += 1
            if self._inside > _MOST_INSIDE:
                raise SiteError(f"<{self._open[0].tag}> has more than {_MOST_INSIDE} elements")
            self._open[-1].append(element)
        else:
            self._begun, self._inside, self._characters = self.parser.CurrentLineNumber, 0, 0
        self._open.append(element)

    def _data(self, told: str) -> None:
        if self._open:
            self._characters += len(told)
            if self._characters > _MOST_CHARACTERS:
                raise SiteError(f"<{self._open[0].tag}> has too much text")
            last = self._open[-1]
            if not len(last):
                last.text = (last.text or "") + told

    def _end(self, _name: str) -> None:
        self._depth -= 1
        if self._open:
            done = self._open.pop()
            if not self._open:
                self.ready.append((self._begun, done))


def root_tag(content: bytes) -> str | None:
    """The name of an XML file's first element; None if it is no XML."""
    found = re.search(rb"<(?![?!])(?:[\w.-]+:)?([\w.-]+)", content.replace(b"\0", b""))
    begins = content.removeprefix(b"\xef\xbb\xbf").replace(b"\0", b"").lstrip(b"\xff\xfe \t\r\n")
    return found[1].decode("latin-1") if found and begins.startswith(b"<") else None


def elements(
    path: Path, *wanted: str, begun: Iterable[str] = ()
) -> Iterator[tuple[int, Tree.Element]]:
    """The outermost elements of these names, in their order, with the line where each begins.

    One is held at a time. Those of the names `begun` come without what is in them, before what is
    wanted of that. Prefixes of namespaces are left out.

    Raises:
        SiteError: it is no XML, has a document type, or an element is too large.
    """
    events = _Events(frozenset(wanted), frozenset(begun))
    try:
        for piece in _pieces(path, _PIECE):
            events.parser.Parse(piece, False)
            yield from events.ready
            events.ready.clear()
        events.parser.Parse(b"", True)
        yield from events.ready
    except expat.ExpatError as error:
        told = expat.errors.messages[error.code]
        raise SiteError(f"line {error.lineno}: not XML: {told}") from None
    except (LookupError, ValueError) as error:  # ScenarioError is a ValueError, too
        if isinstance(error, SiteError):
            raise
        raise SiteError("line 1: is in an encoding that is not read; UTF-8 is") from None
