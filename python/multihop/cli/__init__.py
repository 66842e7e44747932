"""The command `multihop`.

Modules that draw or solve equations take up to half a second to import (Altair, matplotlib,
scipy.optimize): the commands that need them import them in their functions, so that the others and
`--help` do not wait.
"""

import contextlib
import os
import sys
import warnings

import click

from multihop import OverrideWarning, ScenarioError, SchemeError, __version__
from multihop.cli.assumptions import assumptions
from multihop.cli.bound import bound
from multihop.cli.check import check
from multihop.cli.compare import compare
from multihop.cli.completion import completion
from multihop.cli.demo import demo
from multihop.cli.draw import draw
from multihop.cli.emulate import emulate
from multihop.cli.explain import explain
from multihop.cli.failures import Failure, one_line
from multihop.cli.headlines import headlines
from multihop.cli.help import ends_with
from multihop.cli.listing import list_command, schema
from multihop.cli.movement import movement
from multihop.cli.new import new
from multihop.cli.new_scheme import new_scheme
from multihop.cli.replay import replay
from multihop.cli.reproduce import reproduce
from multihop.cli.run import run
from multihop.cli.study import study
from multihop.cli.terminal import guarded
from multihop.cli.validate import validate
from multihop.extras import MissingExtraError

INTERRUPTED = 130
BAD_INPUT = 2


@click.group(
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "color": True,  # else what looks like a colour would be left out, not shown
    },
    epilog=ends_with("README.md", "new my-mesh", "run my-mesh/scenario.toml", "list schemes"),
)
@click.version_option(__version__, prog_name="multihop")
def cli() -> None:
    """A laboratory for TCP over multi-hop 802.11 wireless networks."""


for command in (
    new,
    new_scheme,
    check,
    run,
    replay,
    study,
    assumptions,
    reproduce,
    headlines,
    draw,
    explain,
    bound,
    emulate,
    compare,
    validate,
    demo,
    movement,
    list_command,
    schema,
    completion,
):
    cli.add_command(command)


def main() -> None:
    """Entry point: every failure is one line on standard error, never a traceback."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OverrideWarning)  # commands say so in a line of theirs
        with guarded():
            code = _run()
        sys.exit(code)


def _run() -> int:
    try:
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        return _say("interrupted", INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return BAD_INPUT
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "multihop"
        return _say(f"{error.format_message()} (see {path} --help)", BAD_INPUT)
    except click.ClickException as error:
        return _say(error.format_message(), error.exit_code)
    except (ScenarioError, MissingExtraError) as error:
        return _say(str(error), BAD_INPUT)
    except BrokenPipeError:
        with contextlib.suppress(OSError):  # the reader of our output has gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _say(f"{error.filename or 'input or output'}: {error.strerror}", BAD_INPUT)
    except SchemeError as error:
        return _say(str(error), 1)
    except RuntimeError as error:
        return _say(f"{error}; this is a bug in multihop, please report it", 1)
    return code if isinstance(code, int) else 0


def _say(message: str, code: int) -> int:
    click.echo(f"multihop: {one_line(message)}", err=True, color=True)
    return code


__all__ = ["Failure", "cli", "main"]
