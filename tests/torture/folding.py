"""Fold every match of a store in this process, and print the result: one JSON line per match."""

import json
import sys

from sqlalchemy import select

from firstmover.core.numerics import fingerprint
from firstmover.matches import Journal, State, schema, state_hash
from firstmover.matches.database import engine_for, transaction


def by_hash(events: list[object]) -> State:
    """An impure fold: tells in the order of a set of texts, which is another in every process."""
    state = State.folded(events)  # type: ignore[arg-type]
    state.steps = sorted(state.steps, key=lambda step: hash(str(step)))  # type: ignore[assignment]
    return state


def main(path: str, fold: str) -> None:
    """All matches, by name."""
    with transaction(engine_for(path, read_only=True)) as connection:
        names = connection.execute(select(schema.matches.c.name)).scalars().all()
    for name in sorted(names):
        events = list(Journal.open(path, name, read_only=True).read())
        state = State.folded(events) if fold == "pure" else by_hash(events)  # type: ignore[arg-type]
        found = {
            "name": name,
            "fingerprint": fingerprint(),
            "hash": state_hash(state),
            "strategy": list(state.strategy),
        }
        print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
