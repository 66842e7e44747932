"""The page of a run that goes on, and the server that feeds it: for this machine alone."""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from multihop.events import Passage
from multihop.playback.columns import encode
from multihop.playback.page import flow_facts, live_page
from multihop.results import Result

MOST_ROWS = 4_000_000
"""Of more the first are forgotten: a browser draws so many."""
_LOOK_S = 0.2
_PATIENCE_S = 10.0
"""An answer that there is nothing yet is given after this time."""
_SILENCE_S = 30.0
"""Who says nothing, or takes nothing, for so long is hung up on."""
_BACKLOG = 128
"""Connections that may wait to be accepted."""


class Live:
    """A page that shows a run while it goes on.

    Used with `with`, while the run goes on: its end feeds the page once more.
    """

    def __init__(self, plan: Result, look: Callable[[], Passage | None], port: int = 0) -> None:
        """Open the server; nobody is answered yet.

        Args:
            plan: the result of the run before it has begun.
            look: what has happened since it was called last; none once the run is over.
            port: where the page is to be; any that is free where 0.

        Raises:
            OSError: the port is taken.
        """
        self._plan = plan
        self._look = look
        self._parts = _Parts()
        self._is_closing = threading.Event()
        handler = type("Handler", (_Handler,), {"live": self})
        self._server = _Server(("127.0.0.1", port), handler)
        self._feeder = threading.Thread(target=self._feed, daemon=True)

    @property
    def hosts(self) -> list[str]:
        """What the server is called; the first is in `url`."""
        return [f"{name}:{self._server.server_port}" for name in ("127.0.0.1", "localhost")]

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{self.hosts[0]}/"

    def __enter__(self) -> Live:
        """Begin to answer, and to look at the run."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._feeder.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Feed the last of the run, tell the pages that it is over, and close."""
        self._is_closing.set()
        self._feeder.join()
        self._server.shutdown()
        self._server.server_close()

    def page(self) -> str:
        """The page as it is for who opens it now."""
        return live_page(self._plan, self._parts.first)

    def part(self, number: int) -> bytes | HTTPStatus:
        """A part of the record as the page takes it, or why there is none."""
        return self._parts.get(number)

    def _feed(self) -> None:
        is_last = False
        while not is_last:
            is_last = self._is_closing.wait(_LOOK_S)
            passage = self._look()
            if passage is None:
                break
            self._parts.add(_encoded(passage), passage.events.height)
        self._parts.end()


class _Parts:
    """The parts of a record that are kept."""

    def __init__(self) -> None:
        self.first = 0
        self._kept: deque[tuple[bytes, int]] = deque()
        self._rows = 0
        self._is_over = False
        self._changed = threading.Condition()

    def add(self, part: bytes, rows: int) -> None:
        with self._changed:
            self._kept.append((part, rows))
            self._rows += rows
            while self._rows > MOST_ROWS and len(self._kept) > 1:
                self._rows -= self._kept.popleft()[1]
                self.first += 1
            self._changed.notify_all()

    def end(self) -> None:
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def get(self, number: int) -> bytes | HTTPStatus:
        """Part `number`, when it is there."""

        def is_known() -> bool:
            return self._is_over or number < self.first + len(self._kept)

        with self._changed:
            if not self._changed.wait_for(is_known, _PATIENCE_S):
                return HTTPStatus.NO_CONTENT
            if number < self.first:
                return HTTPStatus.GONE
            if number >= self.first + len(self._kept):
                return HTTPStatus.NOT_FOUND
            return self._kept[number - self.first][0]


def _encoded(passage: Passage) -> bytes:
    """A part: how long its head is in four bytes, its head, its columns."""
    rows = passage.events.height
    columns = encode(passage.events) if rows else None
    head = {
        "columns": columns.layout if columns else [],
        "rows": rows,
        "time_s": passage.until_s,
        "flows": flow_facts(passage.flows),
    }
    text = json.dumps(head, separators=(",", ":")).encode()
    return len(text).to_bytes(4, "little") + text + (columns.compressed() if columns else b"")


class _Server(ThreadingHTTPServer):
    """A thread for each connection, none of which keeps the program from ending."""

    daemon_threads = True
    request_queue_size = _BACKLOG


class _Handler(BaseHTTPRequestHandler):
    """Answers the pages of one run."""

    live: Live
    timeout = _SILENCE_S

    def do_GET(self) -> None:
        """Answer with the page, or a part; a page that is closed meanwhile gets none."""
        with suppress(ConnectionError, TimeoutError):
            self._answer()

    def _answer(self) -> None:
        # A page of elsewhere whose name leads here is not to read the run.
        if self.headers.get("Host") not in self.live.hosts:
            return self._say(HTTPStatus.FORBIDDEN)
        if self.path == "/":
            return self._give(self.live.page().encode(), "text/html; charset=utf-8")
        if not (asked := re.fullmatch(r"/part/(\d{1,9})", self.path)):
            return self._say(HTTPStatus.NOT_FOUND)
        part = self.live.part(int(asked[1]))
        if isinstance(part, HTTPStatus):
            return self._say(part)
        return self._give(part, "application/octet-stream")

    def _give(self, body: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def _say(self, status: HTTPStatus) -> None:
        self.send_response(status)
        if status is not HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing: the terminal is the run's."""
