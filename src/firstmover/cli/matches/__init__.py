"""firstmover match: a game against a real opponent, from the command line."""

import typer

from firstmover.cli.matches.administration import archive, delete, list_all, rename, unarchive
from firstmover.cli.matches.creation import import_rows, new, template
from firstmover.cli.matches.inspection import export, history, plot, replay, status, verify
from firstmover.cli.matches.rounds import ask, correct, record, tell, void

ABOUT = """Play a game against a real opponent: ask for an action, tell the observed type and response.

\b
Examples:
  firstmover match template routing > match.toml
      write a configuration to edit; also sioux-falls, patrol, pricing and inspections
  firstmover match new roads --config match.toml
      create the match roads in the file matches.db
  firstmover match ask roads
      print the action of the round
  firstmover match tell roads --type demand=high --response congestion=3.2
      record the observed type and response
  firstmover match status roads
      print counts, calibration and warnings

Exit codes: 0 done, 2 bad input or unreachable store, 3 conflict with recorded values, 4 damaged store, 130 stopped
by Ctrl-C.
"""  # the \b keeps the lines of the paragraph that follows it

match = typer.Typer(help=ABOUT, no_args_is_help=True, add_completion=False, rich_markup_mode=None)
for command in (
    *(template, new, import_rows, ask, tell, void, correct, record, status, history, export, plot, verify, replay),
    *(list_all, rename, archive, unarchive, delete),
):
    match.command(command.__name__.removesuffix("_rows").removesuffix("_all"))(command)

__all__ = ["match"]
