"""The lab page's server: for who has its address, for one folder."""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multihop import consent
from multihop.errors import ScenarioError
from multihop.lab.folder import Refused
from multihop.lab.limits import Fault, Limits
from multihop.lab.page import FILES, page

if TYPE_CHECKING:
    from multihop.lab.desk import Desk

MOST_BYTES = 8_000_000
"""Of what the page sends at once."""
_SILENCE_S = 60.0
_POLL_S = 0.05
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What `multihop lab` was called with."""

    text: str
    name: str
    folder: Path
    allow_code: bool = False
    limits: Limits = field(default_factory=Limits)
    port: int = 0
    host: str = "127.0.0.1"


class Lab:
    """The server; used with `with`."""

    def __init__(self, asked: Asked) -> None:
        """Open the port; nobody is answered yet.

        Raises:
            OSError: the port is taken.
        """
        self._asked = asked
        self._desk: Desk | None = None
        self._lock = threading.Lock()
        self._token = secrets.token_urlsafe(18)
        handler = type("Handler", (_Handler,), {"lab": self})
        self._server = _Server((asked.host, asked.port), handler)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._consent = consent.for_process(asked.allow_code)

    @property
    def hosts(self) -> list[str]:
        """What the server may be called; the first is in `url`."""
        names = [self._asked.host, "127.0.0.1", "localhost"]
        return [f"{name}:{self._server.server_port}" for name in dict.fromkeys(names)]

    @property
    def url(self) -> str:
        """Where the page is, for who knows the token."""
        return f"http://{self.hosts[0]}/{self._token}/"

    def __enter__(self) -> Lab:
        """Begin to answer."""
        self._consent.__enter__()
        self._thread.start()
        threading.Thread(target=self._warm, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        """End what runs, and close."""
        self.desk.runs.close()
        self._server.shutdown()
        self._server.server_close()
        self._consent.__exit__(None, None, None)

    @property
    def desk(self) -> Desk:
        """What does all that the page asks for."""
        # What runs and explains takes a second to import: the page is there before.
        from multihop.lab.desk import Desk

        with self._lock:
            if self._desk is None:
                asked = self._asked
                self._desk = Desk(asked.folder, asked.limits, allow_code=asked.allow_code)
            return self._desk

    def _serve(self) -> None:
        self._server.serve_forever(poll_interval=_POLL_S)

    def _warm(self) -> None:
        self.desk.warm()

    def knows(self, token: str) -> bool:
        """Whether somebody has the address."""
        return hmac.compare_digest(token.encode(), self._token.encode())

    def page(self) -> bytes:
        """The page with the scenario that it begins with."""
        return page(self._asked.text, self._asked.name, self._asked.folder.resolve()).encode()


class _Server(ThreadingHTTPServer):
    """A thread for each connection, none of which keeps the program from ending."""

    daemon_threads = True
    request_queue_size = 32


class _Handler(BaseHTTPRequestHandler):
    """Answers one page."""

    lab: Lab
    timeout = _SILENCE_S

    def do_GET(self) -> None:
        """Answer with the page, or a file of it."""
        with suppress(ConnectionError, TimeoutError):
            if (rest := self._rest()) is None:
                return
            if rest == "":
                self._give(self.lab.page(), "text/html; charset=utf-8", _POLICY)
            elif rest in FILES:
                body, kind = FILES[rest]()
                self._give(body, kind, _POLICY)
            else:
                self._say(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """Do what the page asks for, and answer with JSON: a value, or a line for each."""
        with suppress(ConnectionError, TimeoutError):
            if (rest := self._rest()) is None:
                return
            if (refused := self._refused()) is not None:
                self._say(refused)
                return
            try:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            except ValueError:
                self._say(HTTPStatus.BAD_REQUEST)
                return
            self._do(rest, body)

    def _refused(self) -> HTTPStatus | None:
        """Why nothing is done for who asks; none if it is."""
        # Browsers say who sends a form or a fetch; a page of elsewhere is refused.
        if self.headers.get("Origin") not in [f"http://{host}" for host in self._hosts()]:
            return HTTPStatus.FORBIDDEN
        if self.headers.get_content_type() != "application/json":
            return HTTPStatus.UNSUPPORTED_MEDIA_TYPE
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            return HTTPStatus.LENGTH_REQUIRED
        return HTTPStatus.REQUEST_ENTITY_TOO_LARGE if int(length) > MOST_BYTES else None

    def _do(self, what: str, body: Any) -> None:
        act = self.lab.desk.acts.get(what)
        if act is None or not isinstance(body, dict):
            return self._say(HTTPStatus.NOT_FOUND)
        try:
            answer = act(body)
            if isinstance(answer, dict):
                return self._give(_json(answer), "application/json", _POLICY)
        except ScenarioError as error:
            return self._give(_json({"fault": Fault.of(error).as_json()}), "application/json", "")
        except Refused as error:
            told = Fault(str(error)).as_json()
            return self._give(_json({"fault": told}), "application/json", "")
        except (KeyError, TypeError, ValueError):
            return self._say(HTTPStatus.BAD_REQUEST)
        return self._stream(answer)

    def _stream(self, lines: Iterable[dict[str, Any]]) -> None:
        self.send_response(HTTPStatus.OK)
        self._head("application/x-ndjson", _POLICY)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            for each in lines:
                self.wfile.write(_json(each) + b"\n")
                self.wfile.flush()
        except ScenarioError as error:
            self.wfile.write(_json({"fault": Fault.of(error).as_json()}) + b"\n")

    def _rest(self) -> str | None:
        """What follows the token in the address; none, and an answer, if that may not be."""
        # A page of elsewhere whose name leads here is not to read anything.
        if self.headers.get("Host") not in self._hosts():
            self._say(HTTPStatus.FORBIDDEN)
            return None
        _, token, *rest = (*self.path.partition("?")[0].split("/", 2), "")
        if not rest[:-1] or not self.lab.knows(token):
            self._say(HTTPStatus.NOT_FOUND)
            return None
        return rest[0]

    def _hosts(self) -> list[str]:
        """What the server is called, also by the address that this connection came to."""
        address, port = self.connection.getsockname()[:2]
        return [*self.lab.hosts, f"{address}:{port}"]

    def _give(self, body: bytes, kind: str, policy: str) -> None:
        self.send_response(HTTPStatus.OK)
        self._head(kind, policy)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _head(self, kind: str, policy: str) -> None:
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        if policy:
            self.send_header("Content-Security-Policy", policy)

    def _say(self, status: HTTPStatus) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing: the terminal has the address, and how the page ends."""


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
