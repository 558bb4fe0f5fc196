"""Open a match in a fresh process, ask, say how long that computed, tell, and wait to be killed: STORE [naive]."""

import sys
import time

from firstmover.matches import Match, State


def main(url: str, naive: str = "") -> None:
    """`naive`: all is learnt anew at every opening."""
    if naive:
        State.content = property(lambda _: None)  # type: ignore[method-assign,assignment]
    match = Match.open(url, "roads")
    decision = match.ask()
    print(decision.round_id, time.process_time(), flush=True)
    match.tell(decision.round_id, "low", 1.0)
    print("told", flush=True)
    time.sleep(600)


if __name__ == "__main__":
    main(*sys.argv[1:])
