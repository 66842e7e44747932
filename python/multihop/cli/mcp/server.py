"""The server: tools with their schemas, and errors as objects."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from multihop.cli.mcp.tools import Tools
from multihop.engine import version
from multihop.errors import OverrideWarning, SchemeError
from multihop.faults import fault

_INSTRUCTIONS = """\
Simulations of TCP over multi-hop 802.11 networks. A scenario is TOML text, the name of an example
(tool `list`, what = "scenarios") or a file of the server's folder; `schema` says what its keys
mean. `set` lays values over it by key path, as {"transport.window_segments": 32}. Errors are
JSON objects with the key, the line and what is allowed. One seed is one network: judge schemes by
`compare`, whose intervals are of pairs of equal seeds."""

Answer = TypeVar("Answer")


def serve(tools: Tools) -> None:
    """Serve until standard input ends."""
    server = MCPServer("multihop", instructions=_INSTRUCTIONS, version=version, log_level="ERROR")
    for tool in (
        tools.check, tools.run, tools.compare, tools.explain, tools.study, tools.list, tools.schema,
    ):  # fmt: skip
        server.tool()(_telling(tool))
    server.run("stdio")


def _telling(tool: Callable[..., Answer]) -> Callable[..., Answer]:
    """The tool, whose errors are objects."""

    @wraps(tool)
    def telling(**arguments: Any) -> Answer:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", OverrideWarning)
                return tool(**arguments)
        except (ValueError, OSError, SchemeError, RecursionError) as error:
            raise ToolError(json.dumps({"error": fault(error)})) from None

    return telling
