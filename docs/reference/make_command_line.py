"""Write command-line.md: the help of every command; run it after a change of a command."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from firstmover.cli import app

PAGE = Path(__file__).with_name("command-line.md")
WIDTH = 100

HEAD = """# Command line

The help of every command, as `firstmover COMMAND --help` prints it. `python -m firstmover` is the same command.

Exit codes: 0 success; 1 a task of an experiment failed, or a prompt was left; 2 bad input, with one sentence on
standard error; 3 a conflict with what is on record; 4 a damaged store; 130 interrupted.
"""


def commands(command: Any, name: str, parent: typer.Context | None = None) -> Iterator[tuple[str, str]]:
    """The full name and the help of a command and of its subcommands."""
    context = command.context_class(command, info_name=name, parent=parent, terminal_width=WIDTH)
    yield context.command_path, command.get_help(context)
    for each, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, each, context)


def page() -> str:
    """The page as text."""
    found = commands(typer.main.get_command(app), "firstmover")
    return HEAD + "".join(f"\n## {name}\n\n```text\n{text.rstrip()}\n```\n" for name, text in found)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
