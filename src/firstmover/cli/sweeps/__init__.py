"""firstmover sweep: learners × games × seeds × parameters, carried out, looked at and compared."""

import typer

from firstmover.cli.sweeps.looking import collect, report, status
from firstmover.cli.sweeps.running import run

ABOUT = """Carry out and compare many runs: learners, games, opponents, kernels, horizons and seeds, from one file.

\b
Four commands to begin with:
  firstmover sweep run FILE --dry-run
      how many tasks, how long, how large
  firstmover sweep run FILE
      carry it out; again runs only what is missing
  firstmover sweep status DIR
      how far it is, also while it runs
  firstmover sweep report DIR
      tables and figures on one page, also while it runs
"""  # the \b keeps the lines of the paragraph that follows it

sweep = typer.Typer(help=ABOUT, no_args_is_help=True, add_completion=False, rich_markup_mode=None)
sweep.command("run")(run)
sweep.command("status")(status)
sweep.command("collect")(collect)
sweep.command("report")(report)

__all__ = ["sweep"]
