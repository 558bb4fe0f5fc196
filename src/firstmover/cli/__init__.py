"""The command line: thin commands over the library."""

from firstmover.cli.app import app

__all__ = ["app", "main"]


def main() -> None:
    """The entry point `firstmover`."""
    app(prog_name="firstmover")
