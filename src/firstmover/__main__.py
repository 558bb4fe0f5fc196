"""The command `firstmover`, also as `python -m firstmover`; Ctrl-C while it still loads ends it without a word."""

import sys


def main() -> None:
    """The entry point `firstmover`."""
    try:
        from firstmover.cli import main as run  # noqa: PLC0415 - what takes a while stands inside the guard

        run()
    except KeyboardInterrupt:  # before the command runs, which answers it in words
        sys.exit(130)


if __name__ == "__main__":
    main()
