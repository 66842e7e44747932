"""The command `multihop`."""

import contextlib
import json
import os
import sys
import warnings

import click
from click.shell_completion import add_completion_class

from multihop.cli import json_mode
from multihop.cli.bash import Bash
from multihop.cli.commands import Commands
from multihop.cli.failures import Failure, one_line
from multihop.cli.help import ends_with
from multihop.cli.streams import guarded
from multihop.engine import version
from multihop.errors import OverrideWarning, ScenarioError, SchemeError
from multihop.extras import MissingExtraError

add_completion_class(Bash)

INTERRUPTED = 130
BAD_INPUT = 2


@click.group(
    cls=Commands,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "color": True,  # else what looks like a colour would be left out, not shown
    },
    epilog=ends_with("docs/README.md", "new my-mesh", "run my-mesh/scenario.toml", "list schemes"),
)
@click.version_option(version, prog_name="multihop")
@click.option("--json", "as_json", is_flag=True, is_eager=True, callback=json_mode.turn_on,
    help="For programs: results as JSON where a command has them, and errors as a JSON object.",
)  # fmt: skip
@click.pass_context
def cli(context: click.Context, as_json: bool) -> None:
    """A laboratory for TCP over multi-hop 802.11 wireless networks."""
    if as_json and context.invoked_subcommand:
        printed = {"json_file": "-"}
        context.default_map = {context.invoked_subcommand: {**printed, "run": printed}}  # study run


def main() -> None:
    """Entry point: every failure is one line on standard error, never a traceback."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OverrideWarning)  # commands say so in a line of theirs
        with guarded():
            code = _run()
        sys.exit(code)


def _run() -> int:
    json_mode.is_on = False
    try:
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt) as error:
        return _say("interrupted", INTERRUPTED, error)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return BAD_INPUT
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "multihop"
        return _say(f"{error.format_message()} (see {path} --help)", BAD_INPUT, error)
    except Failure as error:
        return _say(error.format_message(), error.exit_code, error.error or error, error.file)
    except click.ClickException as error:
        return _say(error.format_message(), error.exit_code, error)
    except (ScenarioError, MissingExtraError) as error:
        return _say(str(error), BAD_INPUT, error)
    except BrokenPipeError:
        with contextlib.suppress(OSError):  # the reader of our output has gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _say(f"{error.filename or 'input or output'}: {error.strerror}", BAD_INPUT, error)
    except SchemeError as error:
        return _say(str(error), 1, error)
    except RuntimeError as error:
        return _say(f"{error}; this is a bug in multihop, please report it", 1, error)
    return code if isinstance(code, int) else 0


def _say(message: str, code: int, error: BaseException, file: str | None = None) -> int:
    if json_mode.is_on:
        from multihop.faults import fault

        entry = _at(error) | fault(error, file)
        entry |= {"message": one_line(message), "exit_code": code}
        click.echo(json.dumps({"error": entry}))
    click.echo(f"multihop: {one_line(message)}", err=True, color=True)
    return code


def _at(error: BaseException) -> dict[str, str]:
    """The option or argument that is at fault, if it is one."""
    if isinstance(error, click.NoSuchOption):
        return {"key": error.option_name}
    if isinstance(error, click.BadParameter) and error.param is not None:
        return {"key": error.param.opts[0]}
    return {}


__all__ = ["Failure", "cli", "main"]
