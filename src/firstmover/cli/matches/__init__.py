"""firstmover match: a game played for real, from the command line."""

import typer

from firstmover.cli.matches.looking import export, history, plot, replay, status, verify
from firstmover.cli.matches.making import import_rows, new, template
from firstmover.cli.matches.rounds import ask, correct, tell, void

ABOUT = """Play a game for real: ask for an action, tell what happened.

\b
Five commands to begin with:
  firstmover match template routing > match.toml
      a configuration to change; also sioux-falls, patrol and pricing
  firstmover match new roads --config match.toml
      a match named roads, kept in the file matches.db
  firstmover match ask roads
      today's action
  firstmover match tell roads --type demand=high --response congestion=3.2
      what happened
  firstmover match status roads
      how it is doing

Exit codes: 0 done, 2 bad input, 3 conflict with what is recorded, 4 damaged store, 130 stopped by
Ctrl-C.
"""  # the \b keeps the lines of the paragraph that follows it

match = typer.Typer(help=ABOUT, no_args_is_help=True, add_completion=False, rich_markup_mode=None)
match.command("template")(template)
match.command("new")(new)
match.command("import")(import_rows)
match.command("ask")(ask)
match.command("tell")(tell)
match.command("void")(void)
match.command("correct")(correct)
match.command("status")(status)
match.command("history")(history)
match.command("export")(export)
match.command("plot")(plot)
match.command("verify")(verify)
match.command("replay")(replay)

__all__ = ["match"]
