"""Open a match in a fresh process, ask, print the answer, and go on asking until killed: python -m … STORE [naive]."""

import sys

from firstmover.matches import Match


def main(url: str, naive: str = "") -> None:
    """`naive`: all is learnt anew at every opening."""
    if naive:
        Match._use_snapshot = lambda _: None  # type: ignore[method-assign,assignment]
    match = Match.open(url, "roads")
    print(match.ask().action, flush=True)
    while True:
        match.ask()


if __name__ == "__main__":
    main(*sys.argv[1:])
