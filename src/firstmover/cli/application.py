"""The command `firstmover` and its subcommands; each imports what it needs when it runs, so that help is quick."""

import sys
from collections.abc import Sequence
from importlib.metadata import version
from itertools import islice
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from firstmover.cli.arena import arena
from firstmover.cli.beginning import begin
from firstmover.cli.calibration import calibrate
from firstmover.cli.cities import city
from firstmover.cli.listing import list_names
from firstmover.cli.matches import match
from firstmover.cli.playing import play, run
from firstmover.cli.plotting import plot
from firstmover.cli.rehearsing import rehearse
from firstmover.cli.reproduction import reproduce
from firstmover.cli.serving import serve, token
from firstmover.cli.sweeping import sweep
from firstmover.core.errors import FirstmoverError, naming_extras

INTERRUPTED = 130
"""The exit code of a program that was stopped from the keyboard."""

COMMON = ("--plugin", "--log-level", "--log-format")
"""Options of every command."""

STOPPED = "Stopped: finished runs are kept; the same command plays the rest."
STOPPED_MATCH = "Stopped: what was acknowledged is kept; repeat the command."
STOPPED_SERVICE = "Stopped before the service was ready: repeat the command."
STOPPED_REHEARSAL = "Stopped: nothing was written; repeat the command, perhaps with fewer --seasons."

_UsageError = cast("type[Exception]", typer.BadParameter.__base__)
"""Raised by typer for an option or argument that it cannot read."""

ABOUT = """Online learning for games in which you move first and the opponent's response function is unknown.

In every round you choose an action, the opponent responds to it, and the response determines your reward. The type of
the opponent is observed after the round. Simulate and compare learners (play, run, sweep, arena), play against a real
opponent (begin, rehearse, match, serve), read the roads of a city (city), or reproduce the paper (reproduce).

\b
Examples:
  firstmover list
      list games, learners, opponents and other entries
  firstmover play shore
      simulate the default learner, auto, beside Hedge and Exp3 in a small game
  firstmover plot regret results/shore-random
      draw their regret
  firstmover begin sales.csv
      propose a match from a table of the past
  firstmover rehearse sales.toml --history sales.csv
      play it in simulated seasons before it is played for real
"""  # the \b keeps the lines of the paragraph that follows it


class ErrorHandlingGroup(TyperGroup):
    """Prints an error as one sentence on stderr, without a traceback, and exits with its code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command and exit."""
        given = kwargs.pop("args", None)
        arguments = _common_first(sys.argv[1:] if given is None else list(given))
        try:
            with naming_extras():
                code = super().main(arguments, *args, **kwargs | {"standalone_mode": False}) or 0
        except FirstmoverError as error:
            typer.echo(str(error), err=True)
            code = error.exit_code
        except _UsageError as error:
            typer.echo(_usage(error), err=True)
            code = 2
        except OSError as error:
            sys.stdout = None  # do not flush at exit what could not be written
            typer.echo(f"The output cannot be written: {error.strerror}; make room, or write it elsewhere.", err=True)
            code = 2
        if code == INTERRUPTED:
            typer.echo(_stopped(arguments), err=True)
        sys.exit(code)


def _stopped(arguments: Sequence[str]) -> str:
    """What is kept of a command that was stopped from the keyboard."""
    if "serve" in arguments:
        return STOPPED_SERVICE
    if "rehearse" in arguments:
        return STOPPED_REHEARSAL
    return STOPPED_MATCH if "match" in arguments else STOPPED


def _common_first(arguments: Sequence[str]) -> list[str]:
    """Move the options of COMMON to the front, where the root command reads them: users write them anywhere.

    >>> _common_first(["play", "ferry", "--plugin", "ferry.py", "--rounds", "9", "--log-level=info"])
    ['--plugin', 'ferry.py', '--log-level=info', 'play', 'ferry', '--rounds', '9']
    """
    common: list[str] = []
    rest: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        if argument == "--":
            rest += [argument, *remaining]
        elif argument in COMMON:
            common += [argument, *islice(remaining, 1)]
        elif argument.startswith(tuple(f"{option}=" for option in COMMON)):
            common.append(argument)
        else:
            rest.append(argument)
    return common + rest


def _usage(error: Any) -> str:
    """The error of an option or argument, in the same words as in a file if pydantic read it."""
    from pydantic import ValidationError

    from firstmover.core.documents import in_words

    if isinstance(error.__cause__, ValidationError):
        return in_words(error.param.opts[0], error.__cause__.errors(include_url=False)[0])
    return str(error.format_message())


app = typer.Typer(cls=ErrorHandlingGroup, no_args_is_help=True, add_completion=False, rich_markup_mode=None)
app.command("begin")(begin)
app.command("rehearse")(rehearse)
app.command("list")(list_names)
app.command("play")(play)
app.command("run")(run)
app.command("plot")(plot)
app.command("calibrate")(calibrate)
app.command("reproduce")(reproduce)
app.command("serve")(serve)
app.add_typer(arena, name="arena")
app.add_typer(city, name="city")
app.add_typer(match, name="match")
app.add_typer(token, name="token")
app.add_typer(sweep, name="sweep")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"firstmover {version('firstmover')}")
        raise typer.Exit


def _load_plugins(names: list[str] | None) -> None:
    from firstmover.core.plugins import load_plugins

    load_plugins(names or ())


@app.callback(help=ABOUT)
def _options(
    context: typer.Context,
    log_level: Annotated[
        str,
        typer.Option(
            envvar="FIRSTMOVER_LOG_LEVEL", help="Log to standard error from here on: debug, info, warning or error."
        ),
    ] = "warning",
    log_format: Annotated[
        str, typer.Option(envvar="FIRSTMOVER_LOG_FORMAT", help="plain, text with time and logger, or json.")
    ] = "plain",
    _plugin: Annotated[
        list[str] | None,
        typer.Option(
            "--plugin",
            metavar="MODULE",
            callback=_load_plugins,
            is_eager=True,
            show_default=False,
            help="Load games, learners, opponents, kernels or figures from a module or a .py file; repeatable, "
            "also after a command.",
        ),
    ] = None,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options of the command itself; its help is ABOUT."""
    from firstmover.core.logs import shown_logs

    context.with_resource(shown_logs(log_level, log_format))
