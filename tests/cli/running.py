"""Commands run in the tests' own process."""

import json
import tomllib
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from firstmover.cli import app
from tests.matches.played import ASSUMED

runner = CliRunner()
SMALL = ["--rounds", "8", "--seeds", "2"]


def refused(*arguments: str) -> str:
    """The one line on stderr with which a command was refused."""
    result = runner.invoke(app, list(arguments))
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    assert isinstance(result.exception, SystemExit)
    assert result.stderr.count("\n") == 1
    return result.stderr.strip()


def match(*arguments: str, code: int = 0, stdin: str | None = None) -> str:
    """What a command prints: on stdout if it is done, else its one line on stderr."""
    result = runner.invoke(app, ["match", *arguments], input=stdin)
    assert result.exit_code == code, result.output
    if code:
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        return result.stderr.strip()
    assert result.stderr == ""
    return result.stdout.strip()


def assumed(template: str, **changes: Any) -> str:
    """A template as JSON, with a kernel, λ and β."""
    return json.dumps(tomllib.loads(template) | ASSUMED | changes)


def begun() -> None:
    """A match named roads in the current folder, which plays `anytime`, and its template beside it."""
    Path("match.toml").write_text(match("template", "routing"))
    Path("match.json").write_text(assumed(Path("match.toml").read_text()))
    match("new", "roads", "--config", "match.json")
