"""Makes the type of metrics' names from their tables, so that an editor completes them.

`make schema` writes it; a test fails when it is out of date.
"""

from __future__ import annotations

from multihop.metrics import OWN
from tools.result_schema import REPOSITORY

FILE = REPOSITORY / "python" / "multihop" / "metrics" / "names.pyi"

HEAD = '''\
"""The metrics' names as a type.

Made from their tables by `make schema`; `multihop list metrics` says what each is.
"""

from typing import Literal

'''


def text() -> str:
    """The module."""
    names = "".join(f'    "{name}",\n' for name in OWN)
    return f'{HEAD}MetricName = Literal[\n{names}]\n"""A metric of flows or of runs."""\n'


def main() -> None:
    """Write it."""
    FILE.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
