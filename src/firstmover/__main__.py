"""The command `firstmover`, also as `python -m firstmover`."""

import sys


def main() -> None:
    """Run the command; Ctrl-C while it is still being imported exits without a message."""
    try:
        from firstmover.cli import main as run  # noqa: PLC0415 - slow to import, so inside the guard

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
