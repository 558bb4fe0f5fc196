"""The command line: thin commands over the library."""

from firstmover.cli.application import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command `firstmover`."""
    app(prog_name="firstmover")
