"""firstmover match status, history, export, verify and replay: what was recorded, and what it amounts to."""

from pathlib import Path
from re import sub
from typing import Annotated, Any

import typer

from firstmover.cli.matches.shown import STORE, AsJson, Name, Store, answer, table


def status(name: Name, store: Store = STORE, as_json: AsJson = False) -> None:
    """Say how a match is doing, in words and figures; nothing can be written by it."""
    from firstmover.matches import Watcher

    with Watcher.open(store, name) as match:
        health = match.status()
        answer(as_json, health.as_dict(), f"Match {name!r}", *health.lines())


def history(
    name: Name,
    last: Annotated[int | None, typer.Option(min=1, help="Only so many, the latest.", show_default=False)] = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """List the rounds; the action of one that waits shows when it is closed."""
    from firstmover.matches import Watcher

    with Watcher.open(store, name) as match:
        rounds = match.history()
        rows: list[dict[str, Any]] = [view.row() for view in rounds[-last if last else 0 :]]
        shown = [
            {key: value for key, value in row.items() if key not in ("action", "asked_at")}
            | {"corrections": row["corrections"] or None}
            for row in rows
        ]
        answer(as_json, {"rounds": rows}, table(shown) if shown else "No round was asked yet.")


def export(
    name: Name,
    out: Annotated[Path, typer.Option(help="rounds as .csv or .parquet; the whole journal as .json.")],
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Write the rounds, or the whole journal with its hashes, to a file."""
    from firstmover.core.errors import counted
    from firstmover.core.files import atomic_file
    from firstmover.matches import Match
    from firstmover.matches.files import exported

    with Match.open(store, name) as match:
        rounds = match.history()
        content = exported(out.suffix.lower(), rounds, match.setting, match.journal.read())
        with atomic_file(out) as file:
            file.write(content)
        answer(as_json, {"file": str(out), "rounds": len(rounds)}, f"Wrote {out}, {counted(len(rounds), 'round')}.")


def verify(name: Name, store: Store = STORE, as_json: AsJson = False) -> None:
    """Check the file, the chain of hashes, and every decision by a full replay."""
    from dataclasses import asdict

    from firstmover.core.errors import counted
    from firstmover.matches import Match

    with Match.open(store, name) as match:
        found = match.verify()
        answer(
            as_json,
            asdict(found),
            f"Sound: {counted(found.events, 'event')} in an unbroken chain, {counted(found.rounds, 'round')} replayed.",
            f"p_t came out bit for bit in {found.exact} of them; the largest difference is "
            f"{found.largest_difference:.1e}.",
            f"Last hash {found.head}",
        )


def replay(
    name: Name,
    until: Annotated[
        int | None, typer.Option(min=1, help="Stop after the event of this number.", show_default=False)
    ] = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Compute the state from the events alone, all of them or the first ones, and show its strategy."""
    from itertools import islice
    from sys import maxsize

    from firstmover.core.errors import counted
    from firstmover.matches import Journal, State, state_hash

    journal = Journal.open(store, name, read_only=True)
    state = State.folded(islice(journal.read(), min(until or maxsize, maxsize)))
    strategy, labels = state.strategy, state.setting.menu.labels
    order = strategy.argsort()[::-1][:10]
    rows = [{"action": labels[i], "probability": f"{strategy[i]:.2%}"} for i in order]
    mark = state_hash(state)
    answer(
        as_json,
        {"events": state.sequence, "state_hash": mark, "strategy": strategy.tolist()},
        f"After {counted(state.sequence, 'event')}, {counted(len(state.rounds), 'round')} asked and {state.told} told; "
        "p_t, largest first:",
        table(rows),
        f"State {mark}",
    )
    journal.close()


def plot(
    name: Name,
    picture: Annotated[str, typer.Argument(metavar="PICTURE", help="map or learning.")],
    out: Annotated[
        Path | None, typer.Option(help="File to write; PNG and PDF both.", show_default="NAME-PICTURE")
    ] = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Draw a match, as PNG and PDF, or with --json print what would be drawn; rounds that wait are left out."""
    from firstmover.figures.files import live_figure, save
    from firstmover.figures.live import Trace, json_values, live_named
    from firstmover.matches import Journal

    entry = live_named(picture)
    journal = Journal.open(store, name, read_only=True)
    with journal.closed_on_error():
        record = entry.record(Trace(journal))
    journal.close()
    if as_json:
        answer(as_json, json_values(record))
        return
    safe = sub(r'[./\\:*?"<>|]', "_", name)  # a name is no path
    for path in save(live_figure(entry, record, f"Match {name}"), out or Path(f"{safe}-{picture}")):
        typer.echo(f"Wrote {path}")
