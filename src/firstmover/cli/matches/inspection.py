"""firstmover match status, explain, what-if, certificate, history, export, verify, replay and plot."""

from pathlib import Path
from typing import Annotated, Any

import typer

from firstmover.cli.matches.options import STORE, AsJson, Context, Name, NeededRound, Store, answer, named_values, table


def status(name: Name, store: Store = STORE, as_json: AsJson = False) -> None:
    """Print counts, calibration and warnings; read-only."""
    from firstmover.matches import Match

    with Match.open(store, name, read_only=True) as opened:
        health = opened.status()
    answer(as_json, health.as_dict(), f"Match {name!r}", *health.lines())


def explain(
    name: Name,
    round_id: Annotated[
        str | None, typer.Option("--round", help="The round's name; default: the pending one asked last.")
    ] = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Print why the action of a pending round was advised, and which response would change the advice."""
    from firstmover.matches import Match

    with Match.open(store, name) as opened:
        found = opened.explain(round_id)
    answer(as_json, found.as_dict(), *found.lines())


def what_if(
    name: Name,
    action: Annotated[str, typer.Argument(metavar="ACTION", help="The action, by label or index.")],
    context: Context = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Print what is expected if an action is played now, and how that compares with the advice."""
    from firstmover.matches import Match

    known = named_values("context", context) if context else None
    with Match.open(store, name) as opened:
        found = opened.what_if(action, known)
    answer(as_json, found.as_dict(), *found.lines())


def certificate(name: Name, store: Store = STORE, as_json: AsJson = False) -> None:
    """Print at most how much the told rounds lost against the best fixed action; read-only."""
    from firstmover.matches import Match

    with Match.open(store, name, read_only=True) as opened:
        found = opened.certificate()
    answer(as_json, found.as_dict(), *found.lines())


def history(
    name: Name,
    last: Annotated[
        int | None, typer.Option(min=1, help="Show only the last N rounds.", metavar="N", show_default=False)
    ] = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """List the rounds; actions of pending rounds are hidden."""
    from firstmover.matches import Match

    with Match.open(store, name, read_only=True) as opened:
        rows: list[dict[str, Any]] = [played.row() for played in opened.history()[-last if last else 0 :]]
    hidden = {"action", "played", "closed", "asked_at"}
    shown = [{key: value for key, value in row.items() if key not in hidden} for row in rows]
    for row in shown:
        row["corrections"] = row["corrections"] or None
    answer(as_json, {"rounds": rows}, table(shown) if shown else "No round was asked yet.")


def log(name: Name, round_id: NeededRound, store: Store = STORE, as_json: AsJson = False) -> None:
    """List who did what in a round, when and why."""
    from firstmover.matches import Match

    with Match.open(store, name, read_only=True) as opened:
        rows = [event._asdict() for event in opened.round_log(round_id)]
    answer(as_json, {"log": rows}, table(rows))


def export(
    name: Name,
    out: Annotated[Path, typer.Option(help="File to write: rounds as .csv or .parquet, the whole journal as .json.")],
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Write the rounds, or the whole journal with its hashes, to a file."""
    from firstmover.core.errors import InvalidInput, counted
    from firstmover.core.files import atomic_file
    from firstmover.matches import Match
    from firstmover.matches.files import exported

    if not out.parent.is_dir():
        raise InvalidInput(f"--out is {str(out)!r}, and its folder does not exist: create it, or name another file.")
    with Match.open(store, name) as opened:
        rounds = opened.history()
        content = exported(out.suffix.lower(), rounds, opened.setting, opened.journal.read())
    with atomic_file(out, mode=0o600) as file:  # it may hold the action of a pending round
        file.write(content)
    answer(as_json, {"file": str(out), "rounds": len(rounds)}, f"Wrote {out}, {counted(len(rounds), 'round')}.")


def verify(
    name: Name,
    head: Annotated[
        str | None,
        typer.Option(
            metavar="HASH", help="A last hash kept from before, which must be in the chain.", show_default=False
        ),
    ] = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Check the store and the hash chain, and replay every decision."""
    from dataclasses import asdict

    from firstmover.core.errors import counted
    from firstmover.matches import Match

    with Match.open(store, name) as opened:
        found = opened.verify(head=head)
    answer(
        as_json,
        asdict(found),
        f"Sound: {counted(found.events, 'event')} in an unbroken chain, {counted(found.rounds, 'round')} replayed.",
        f"p_t was bit-identical in {found.exact} of them; the largest difference is {found.largest_difference:.1e}.",
        *([f"Restored from a backup: {counted(found.restores, 'time')}."] if found.restores else []),
        f"Last hash {found.head}",
    )


def replay(
    name: Name,
    until: Annotated[
        int | None, typer.Option(min=1, help="Stop after event number N.", metavar="N", show_default=False)
    ] = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Recompute the state from the events, without a snapshot, and print its strategy."""
    from itertools import islice
    from sys import maxsize

    from firstmover.core.errors import counted
    from firstmover.matches import Journal, State, state_hash

    journal = Journal.open(store, name, read_only=True)
    state = State.folded(islice(journal.read(), min(until or maxsize, maxsize)))
    journal.close()
    strategy, labels, mark = state.strategy, state.setting.menu.labels, state_hash(state)
    order = strategy.argsort()[::-1][:10]
    answer(
        as_json,
        {"events": state.sequence, "state_hash": mark, "strategy": strategy.tolist()},
        f"After {counted(state.sequence, 'event')}, {counted(len(state.rounds), 'round')} asked and {state.told} told; "
        "p_t, largest first:",
        table([{"action": labels[i], "probability": f"{strategy[i]:.2%}"} for i in order]),
        f"State {mark}",
    )


def plot(
    name: Name,
    picture: Annotated[str, typer.Argument(metavar="PICTURE", help="map, learning or report.")],
    out: Annotated[
        Path | None, typer.Option(help="File to write, as PNG and PDF.", show_default="NAME-PICTURE")
    ] = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Draw a match as PNG and PDF, or print its record with --json; without pending rounds."""
    _drawn(name, picture, out, store, as_json=as_json, title=f"Match {name}")


def report(
    name: Name,
    out: Annotated[Path | None, typer.Option(help="File to write, as PNG and PDF.", show_default="NAME-report")] = None,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Write a match on one A4 page: earnings, what was learnt, the latest rounds, alarms, and a hash for audits."""
    from datetime import datetime

    from firstmover.matches.names import checked_actor

    made = f"report made {datetime.now().astimezone():%Y-%m-%d %H:%M} by {checked_actor(None)}"
    _drawn(name, "report", out, store, as_json=as_json, title=f"Match {name}\n{made}")


def _drawn(name: str, picture: str, out: Path | None, store: str, *, as_json: bool, title: str) -> None:
    """Draw a picture of a match under a title, or print its record."""
    from re import sub

    from firstmover.core.errors import look_up
    from firstmover.figures.files import drawn, save
    from firstmover.figures.live import LIVE, Trace, json_values
    from firstmover.matches import Journal

    entry = look_up("picture", picture, LIVE)
    journal = Journal.open(store, name, read_only=True)
    with journal.closed_on_error():
        record = entry.record(Trace(journal))
    journal.close()
    if as_json:
        answer(as_json, json_values(record))
        return
    safe = sub(r'[./\\:*?"<>|]', "_", name)  # a name is no path
    figure = drawn(lambda figure: entry.draw(record, figure), entry.size, title)
    for path in save(figure, out or Path(f"{safe}-{picture}")):
        typer.echo(f"Wrote {path}")
