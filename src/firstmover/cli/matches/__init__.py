"""firstmover match: a game against a real opponent, from the command line."""

from firstmover.cli.matches import creation, rounds  # noqa: F401, I001 - the help lists commands in this order
from firstmover.cli.matches import inspection  # noqa: F401
from firstmover.cli.matches.options import match

__all__ = ["match"]
