"""firstmover match: a game against a real opponent, from the command line."""

import typer

from firstmover.cli.matches.administration import (
    accept_restore,
    archive,
    backup,
    delete,
    list_all,
    receipt,
    rename,
    restore,
    schedule,
    unarchive,
)
from firstmover.cli.matches.changes import add_actions, add_levels, menu, retire, set_reward, unretire
from firstmover.cli.matches.creation import import_rows, new, template
from firstmover.cli.matches.evaluation import evaluate
from firstmover.cli.matches.inspection import (
    certificate,
    explain,
    export,
    history,
    log,
    plot,
    replay,
    report,
    status,
    verify,
    what_if,
)
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
  firstmover match explain roads
      print why this action was advised
  firstmover match what-if roads 'half each'
      print what is expected if another action is played
  firstmover match tell roads --type demand=high --response congestion=3.2
      record the observed type and response
  firstmover match evaluate roads
      print what other actions would have earned
  firstmover match status roads
      print counts, calibration and warnings
  firstmover match report roads --out roads.pdf
      write the match on one page: earnings, what was learnt, alarms

\b
While a match is played:
  firstmover match menu shop
      list the actions, and what was changed so far
  firstmover match add-actions shop --action label=6,price=6.0
      append actions to the menu; --file more.csv reads many
  firstmover match retire shop 2 --reason 'sold out'
      no further round plays it; unretire lets it be played again
  firstmover match set-reward shop --response sold=price
      define the reward again; told rounds keep what they earned
  firstmover match add-levels shop customers business
      append a level to a type

\b
To keep it safe:
  firstmover match backup --out matches-monday.db
      copy the whole store while it is in use; a plain copy of the file may be torn
  firstmover match restore matches-monday.db --store again.db
      write a backup to a new store; every match records that it was restored

Exit codes: 0 done, 2 bad input or unreachable store, 3 conflict with recorded values, 4 damaged store, 130 stopped
by Ctrl-C.
"""  # the \b keeps the lines of the paragraph that follows it

match = typer.Typer(help=ABOUT, no_args_is_help=True, add_completion=False, rich_markup_mode=None)
for command in (
    *(template, new, import_rows, ask, explain, what_if, tell, void, correct, record, status, certificate, history),
    *(log, evaluate, export, plot, report, verify, replay),
    *(menu, add_actions, retire, unretire, set_reward, add_levels, list_all, rename, schedule),
    *(archive, unarchive, delete),
    *(receipt, backup, restore, accept_restore),
):
    match.command(command.__name__.removesuffix("_rows").removesuffix("_all").replace("_", "-"))(command)

__all__ = ["match"]
