"""firstmover match: a game against a real opponent, from the command line."""

import typer

from firstmover.cli.matches.creation import import_rows, new, template
from firstmover.cli.matches.inspection import export, history, plot, replay, status, verify
from firstmover.cli.matches.rounds import ask, correct, tell, void

ABOUT = """Play a game against a real opponent: ask for an action, tell what happened.

\b
Five commands to begin with:
  firstmover match template routing > match.toml
      a configuration to change; also sioux-falls, patrol and pricing
  firstmover match new roads --config match.toml
      a match named roads, stored in the file matches.db
  firstmover match ask roads
      today's action
  firstmover match tell roads --type demand=high --response congestion=3.2
      what happened
  firstmover match status roads
      counts, calibration and cautions

Exit codes: 0 done, 2 bad input, 3 conflict with what is recorded, 4 damaged store, 130 stopped by
Ctrl-C.
"""  # the \b keeps the lines of the paragraph that follows it

match = typer.Typer(help=ABOUT, no_args_is_help=True, add_completion=False, rich_markup_mode=None)
for command in (template, new, import_rows, ask, tell, void, correct, status, history, export, plot, verify, replay):
    match.command(command.__name__.removesuffix("_rows"))(command)

__all__ = ["match"]
