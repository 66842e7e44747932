"""`multihop completion`: what a shell needs to complete the command line."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

_SET_UP = {
    "bash": 'add  eval "$(multihop completion bash)"  to ~/.bashrc',
    "zsh": 'add  eval "$(multihop completion zsh)"  to ~/.zshrc',
    "fish": "multihop completion fish > ~/.config/fish/completions/multihop.fish",
}


@click.command(epilog="\n".join(["\b", "Set up:", *(f"  {line}" for line in _SET_UP.values())]))
@click.argument("shell", type=click.Choice([*_SET_UP]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands, options and names in SHELL."""
    found = get_completion_class(shell)
    assert found is not None
    root = context.find_root().command
    click.echo(found(root, {}, "multihop", "_MULTIHOP_COMPLETE").source())
