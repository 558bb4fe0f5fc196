"""Late, missing, repeated, corrected, overridden, out of order, from two clients, in menus that change: as modelled."""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import pytest
import sqlalchemy
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import Engine, StaticPool

from firstmover.core.errors import Conflict, DamagedStore, InvalidInput
from firstmover.matches import Match, State, database, health, state_hash
from firstmover.matches.setup import ASSUMPTIONS, Setting
from tests.matches.played import ROUTES
from tests.torture.model import REWARDS, FittedModel, Model, Row, Told
from tests.torture.sizes import sizes

PROMISE = "late, missing, out of order"
FITTED = {key: value for key, value in ROUTES.items() if key not in (*ASSUMPTIONS, "strategy")}
"""The same match, played by the learner auto: fits are events."""

WHO = st.integers(0, 1)
LABELS = st.booleans()
AGAIN = st.sampled_from([False, False, True])
WHICH = st.sampled_from(range(7))
"""A round: one of those so far or, with 6, the name of one that perhaps was never asked."""

ACTION = st.sampled_from(range(13))
"""An action: one of the menu or, with 12, one that is not on it."""

SEEN = st.tuples(st.sampled_from(range(9)), st.sampled_from([0.0, 1.5, 20.0]))
"""Demand and congestion: a level that is known or, with 8, one that perhaps is not."""

MASK = st.none() | st.lists(st.sampled_from(range(8)) | ACTION, max_size=3, unique=True)
ROW = st.tuples(ACTION, SEEN)
ROWS = st.lists(ROW, min_size=1, max_size=3)
Raw = tuple[int, float]
ADDED: list[tuple[str, Row]] = [
    ("wide", (8.0, 8.0, 16.0)),
    ("wide", (8.0, 8.0, 16.0)),
    ("wide", (8.0, 9.0, 17.0)),  # the same label with other numbers
    ("far", (12.0, 3.0, 15.0)),
    ("far", (12.0, 3.0, 15.0)),
    ("north", (10.0, 0.0, 10.0)),  # on the menu from the start
    ("twin", (10.0, 0.0, 10.0)),  # the features of another action
    ("rival", (10.0, 0.0, 11.0)),  # and another reward, if that depends on the units
]
NEW = st.lists(st.sampled_from(ADDED), min_size=1, max_size=2, unique_by=lambda row: row[0]).map(tuple)
LEVELS = st.sampled_from([{"peak": 2.0}, {"peak": 2.0}, {"peak": 2.5}, {"low": 0.0}, {"low": 0.0, "dawn": 0.5}])

Given = int | str | None


@cache
def created(fitted: bool) -> bytes:
    """A store with a match of which nothing was asked yet."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matches.db"
        Match.create(path, "roads", FITTED if fitted else ROUTES).close()
        Match.create(path, "taken", ROUTES).close()
        return path.read_bytes()


class Sequences(RuleBasedStateMachine):
    """Two clients of one match, and the model beside them."""

    kind: type[Match] = Match
    fitted = False
    ended = 0
    distinct: ClassVar[set[int]] = set()
    counts: ClassVar[Counter[str]] = Counter()

    @initialize(begun=st.lists(st.none() | SEEN, max_size=4))
    def create(self, begun: list[Raw | None]) -> None:
        """A match with some rounds, pending ones too."""
        self.folder = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
        self.path, self.steps, self.turns = self.folder / "m.db", list[object](), 0
        self.path.write_bytes(created(self.fitted))
        self.clients = [self.kind.open(self.path, "roads") for _ in range(2)]
        self.reader: Match | None = None
        self.model = FittedModel(FITTED) if self.fitted else Model(ROUTES)
        for number, seen in enumerate(begun, start=1):
            self._ask(0, str(number), None, False, False)
            if seen is not None:
                self.tell(0, number - 1, seen, None, False, False)

    def teardown(self) -> None:
        if hasattr(self, "clients"):
            for client in self.clients:
                self.check(client)
                client.close()
            if self.reader is not None:
                self.watch()
                self.reader.close()
            with Match.open(self.path, self.model.name) as match:
                restored = state_hash(match.state())  # with the weights of the snapshot
                verified = match.verify()
                assert verified.rounds == verified.exact == len(self.model.rounds)
                assert verified.state_hash == restored, "the snapshot is not what a replay leads to"
                self.model.check_strategy(match.learner().strategy.tobytes(), ())
            shutil.rmtree(self.folder)
            type(self).ended += 1
            type(self).distinct.add(hash(tuple(map(repr, self.steps))))

    @rule(who=WHO, which=st.none() | WHICH, mask=MASK, allowed=st.booleans(), labels=LABELS)
    def ask(self, who: int, which: int | None, mask: list[int] | None, allowed: bool, labels: bool) -> None:
        self._ask(who, None if which is None else self._round(which), mask, allowed, labels)

    @rule(who=WHO, mask=MASK, allowed=st.booleans(), labels=LABELS)
    def ask_new(self, who: int, mask: list[int] | None, allowed: bool, labels: bool) -> None:
        self._ask(who, f"day {len(self.model.rounds)}", mask, allowed, labels)

    def _ask(self, who: int, name: str | None, raw: list[int] | None, allowed: bool, labels: bool) -> None:
        expected = self.model.next_name(name)
        mask = None if raw is None else tuple(sorted({self._action(each) for each in raw}))
        refused = self.model.refused(expected, mask, allowed)
        given = None if mask is None else [self._named(action, labels) for action in mask]
        masks: dict[str, Any] = {"allowed" if allowed else "without": given}
        self.steps.append((who, name, masks))
        if refused is not None:
            self.count("ask", refused.__name__)
            with pytest.raises(refused, match=r"nothing was|No action of the menu is allowed|give a label"):
                self.clients[who].ask(name, **masks)
            return
        decision = self.clients[who].ask(name, **masks)
        assert decision.round_id == expected
        assert decision.label == self.model.labels[decision.action]
        said = self.model.asked(expected, decision.action, decision.strategy.tobytes(), mask, allowed)
        assert said in ("new", "same"), said
        self.count("ask", said)

    @rule(who=WHO, which=WHICH, seen=SEEN, action=st.none() | ACTION, labels=LABELS, again=AGAIN)
    def tell(self, who: int, which: int, seen: Raw, action: int | None, labels: bool, again: bool) -> None:  # noqa: PLR0917 - one for each choice
        """Tell a round, a pending one if there is one; `again`, a closed one as it was told."""
        name, told, other = self._values(which, seen, action, again)
        played = self._named(other, labels)
        self._agree(self.model.close(name, told, other), self.clients[who].tell, name, *told, played=played)

    @rule(who=WHO, which=WHICH, row=ROW, labels=LABELS, again=AGAIN)
    def record(self, who: int, which: int, row: tuple[int, Raw], labels: bool, again: bool) -> None:
        name, seen = f"seen {which}", (self._action(row[0]), self._told(row[1]))
        seen = self.model.records.get(name, seen) if again else seen
        action = self._named(seen[0], labels)
        self._agree(self.model.record(name, seen), self.clients[who].record, action, *seen[1], record_id=name)

    @rule(who=WHO, which=WHICH)
    def void(self, who: int, which: int) -> None:
        name = self._round(which)
        self._agree(self.model.close(name, None), self.clients[who].void, name, "missing")

    @rule(who=WHO, which=WHICH, seen=st.none() | SEEN, action=st.none() | ACTION, again=AGAIN)
    def correct(self, who: int, which: int, seen: Raw | None, action: int | None, again: bool) -> None:
        name, found, other = self._values(which, seen or (0, 0.0), action, again, closed=True)
        told = None if seen is None else found
        values, more = told or (None, None), {"reason": "misread", "played": other}
        self._agree(self.model.correct(name, told, other), self.clients[who].correct, name, *values, **more)

    @rule(who=WHO, raw=ROWS, again=AGAIN)
    def take_in(self, who: int, raw: list[tuple[int, Raw]], again: bool) -> None:
        rows = tuple((self._action(action), self._told(seen)) for action, seen in raw)
        if again and self.model.imports:
            rows = self.model.imports[max(self.model.imports)]
        given = [{"action": action, "type": told[0], "response": told[1]} for action, told in rows]

        def import_history(rows: list[dict[str, Any]]) -> int:
            return self.clients[who].import_history(rows, again=True).new

        self._agree(self.model.take_in(rows), import_history, given)

    @rule(who=WHO, rows=NEW)
    def add_actions(self, who: int, rows: tuple[tuple[str, Row], ...]) -> None:
        given = [{"label": label, **dict(zip(("north", "south", "units"), row, strict=True))} for label, row in rows]
        self._agree(self.model.add(rows), self.clients[who].add_actions, given)

    @rule(who=WHO, raw=ACTION, labels=LABELS)
    def retire(self, who: int, raw: int, labels: bool) -> None:
        action = self._action(raw)
        self._agree(self.model.retire(action, True), self.clients[who].retire, self._named(action, labels))

    @rule(who=WHO, raw=ACTION, labels=LABELS)
    def unretire(self, who: int, raw: int, labels: bool) -> None:
        """Mostly one that is retired."""
        retired = sorted(self.model.retired)
        action = retired[raw % len(retired)] if retired and raw < 8 else self._action(raw)
        self._agree(self.model.retire(action, False), self.clients[who].unretire, self._named(action, labels))

    @rule(who=WHO, number=st.integers(0, len(REWARDS) - 1))
    def set_reward(self, who: int, number: int) -> None:
        self._agree(self.model.set_reward(number), self.clients[who].set_reward, REWARDS[number])

    @rule(who=WHO, levels=LEVELS)
    def add_levels(self, who: int, levels: dict[str, float]) -> None:
        self._agree(self.model.add_levels(levels), self.clients[who].add_levels, "demand", levels)

    @rule(who=WHO, name=st.sampled_from(["roads", "streets", "taken"]))
    def rename(self, who: int, name: str) -> None:
        self._agree(self.model.rename(name), self.clients[who].rename, name)

    @rule(who=WHO, archived=st.sampled_from([True, False, False, False]))
    def archive(self, who: int, archived: bool) -> None:
        client = self.clients[who]
        self._agree(self.model.archive(archived), client.archive if archived else client.unarchive)

    @rule(who=WHO)
    def reopen(self, who: int) -> None:
        self.count("reopen", who)
        self.check(self.clients[who])  # what it had wrong would be forgotten with it
        self.clients[who].close()
        self.clients[who] = self.kind.open(self.path, self.model.name)

    @property
    def watcher(self) -> Match:
        """A client that cannot write, from its first use on."""
        self.reader = self.reader or Match.open(self.path, self.model.name, read_only=True)
        return self.reader

    @rule()
    def watch(self) -> None:
        """A reader has all rounds but the actions of pending ones."""
        for view in self.watcher.history():
            played, pending = self.model.rounds[view.round_id], view.status == "pending"
            seen = view.action, view.label, view.played_label, view.reward
            labels, other = self.model.labels, played.played
            expected = played.action, labels[played.action], other if other is None else labels[other]
            assert seen == ((None,) * 4 if pending else (*expected, self.model.earned(played)))
            assert (view.probability is None) == pending
        self.count("watch", f"{len(self.model.retired)} retired")

    @rule(who=WHO)
    def look(self, who: int) -> None:
        """A client that writes sees all rewards, and a status like a reader's that favours no retired action."""
        self.count("look", who)
        for view in self.clients[who].history():
            assert view.reward == self.model.earned(self.model.rounds[view.round_id])
        health = self.clients[who].status()
        assert not {health.likeliest, health.favoured} & {self.model.labels[i] for i in self.model.retired}
        assert health.for_reader() == self.watcher.status()

    @invariant()
    def the_same_rounds(self) -> None:
        """One client after each step, the other after the next; both in the end."""
        self.turns += 1
        self.check(self.clients[self.turns % 2])

    def check(self, client: Match) -> None:
        state = client.state()
        assert (client.name, state.archived) == (self.model.name, self.model.archived)
        menu = state.setting.menu
        assert (list(menu.labels), set(menu.retired)) == (self.model.labels, self.model.retired)
        found = [(p.round_id, p.status, p.action) for p in state.rounds.values()]
        assert found == [(name, p.status, p.action) for name, p in self.model.rounds.items()]
        for played in state.rounds.values():
            model = self.model.rounds[played.round_id]
            assert played.delay == (model.delay or 0)
            told = model.told
            expected = (None, None) if told is None else ({"demand": told[0]}, {"congestion": told[1]})
            assert played.observed == expected
            assert played.played == model.played
            assert played.without == model.without
        assert len(state.records) == len(self.model.records)

    def count(self, *what: object) -> None:
        """Note that a rule had this outcome."""
        self.counts[" ".join(map(str, what))] += 1
        self.steps.append(what)

    def _round(self, which: int) -> str:
        names = list(self.model.rounds)
        return names[which % len(names)] if names and which < 6 else "tuesday"

    def _action(self, raw: int) -> int:
        return raw % len(self.model.menu) if raw < 12 else len(self.model.menu)

    def _told(self, raw: Raw) -> Told:
        levels = list(self.model.levels)
        return levels[raw[0] % len(levels)] if raw[0] < 8 else "peak", raw[1]

    def _values(
        self, which: int, seen: Raw, action: int | None, again: bool, closed: bool = False
    ) -> tuple[str, Told, int | None]:
        """A round, and what to say of it: of a closed one perhaps the same again."""
        rounds = self.model.rounds
        wanted = [name for name in rounds if (rounds[name].status == "pending") != (closed or again)]
        name = wanted[which % len(wanted)] if wanted and which < 5 else self._round(which)
        told, other = self._told(seen), None if action is None else self._action(action)
        if again and name in rounds and (before := rounds[name].told) is not None:
            return name, before, rounds[name].played
        return name, told, other

    def _named(self, action: int | None, labels: bool) -> Given:
        """An action by its index, or by its label if it has one."""
        return self.model.labels[action] if labels and action is not None and self.model.known(action) else action

    def _agree(self, expected: str, call: Callable[..., object], *args: Any, **more: Any) -> None:
        self.steps.append((args, more))
        try:
            found = "new" if call(*args, **more) else "same"
        except (Conflict, InvalidInput) as error:
            found = type(error).__name__
        assert found == expected
        self.count(call.__name__, found)


class Deaf(Match):
    """Drops a tell that does not fit, without a word."""

    def tell(self, round_id: str, opponent_type: object, response: object, **more: Any) -> bool:
        try:
            return super().tell(round_id, opponent_type, response, **more)
        except (Conflict, InvalidInput):
            return False


class DeafSequences(Sequences):
    kind = Deaf


class FittedSequences(Sequences):
    fitted = True


@pytest.fixture
def no_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without waiting for the disk: sequences are about order, and nobody pulls the plug."""
    fast = [setting.replace("EXTRA", "OFF") for setting in database.SAFE_SETTINGS]
    monkeypatch.setattr(database, "SAFE_SETTINGS", fast)


def keep_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each client keep one connection, and all share compiled statements: a third of the time otherwise."""
    first: list[Engine] = []

    def create_engine(*args: Any, **more: Any) -> Engine:
        engine = sqlalchemy.create_engine(*args, **more)
        first.append(engine)
        engine.dialect, engine._compiled_cache = first[0].dialect, first[0]._compiled_cache
        del first[1:]
        return engine

    monkeypatch.setattr(database, "NullPool", StaticPool)
    monkeypatch.setattr(database, "create_engine", create_engine)


def run(
    machine: type[Sequences], sequences: int, phases: Sequence[Phase] = tuple(Phase), derandomize: bool = True
) -> None:
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        machine,
        settings=settings(
            max_examples=sequences,
            derandomize=derandomize,
            deadline=None,
            stateful_step_count=20,
            suppress_health_check=checks,
            phases=phases,
            database=None,
            report_multiple_bugs=False,
        ),
    )


FURTHER = 200
"""Sequences that are drawn at once to replace repeated ones: the first that hypothesis draws are always the same."""

OUTCOMES = {
    "ask": ("new", "same", "Conflict", "InvalidInput"),
    "tell": ("new", "same", "Conflict", "InvalidInput"),
    "record": ("new", "same", "Conflict", "InvalidInput"),
    "void": ("new", "same", "Conflict", "InvalidInput"),
    "correct": ("new", "same", "InvalidInput"),
    "import_history": ("new", "same", "InvalidInput"),
    "add_actions": ("new", "same", "Conflict", "InvalidInput"),
    "retire": ("new", "same", "InvalidInput"),
    "unretire": ("new", "same", "InvalidInput"),
    "set_reward": ("new", "same", "InvalidInput"),
    "add_levels": ("new", "same", "Conflict", "InvalidInput"),
    "rename": ("new", "same", "Conflict"),
    "archive": ("new", "same"),
    "unarchive": ("new", "same"),
    "reopen": ("0", "1"),
    "look": ("0", "1"),
    "watch": ("0 retired", "1 retired", "2 retired"),
}
"""Each rule, and all that may come of it."""


@pytest.mark.usefixtures("no_sync")
@pytest.mark.parametrize(("part", "sequences"), sizes("sequences"))
def test_every_sequence_ends_as_the_model_says(
    part: int, sequences: int, reached: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The short version always draws the same sequences; every part of the full programme draws others.

    A sequence counts once, however often it is drawn in the parts that one process runs.
    """
    if part:
        keep_connections(monkeypatch)
    Sequences.ended, Sequences.counts, before = 0, Counter(), len(Sequences.distinct)
    run(Sequences, sequences, derandomize=part == 0)
    while part and len(Sequences.distinct) < before + sequences:  # some of those that are drawn are repeated
        run(Sequences, FURTHER, derandomize=False)
    assert Sequences.ended >= sequences, f"part {part} came to its end too early"
    print(f"part {part}, how often each rule had each outcome:", dict(sorted(Sequences.counts.items())))
    starved = [f"{name} {each}" for name, found in OUTCOMES.items() for each in found]
    starved = [name for name in starved if not Sequences.counts[name]]
    assert part == 0 or not starved, f"never happened: {starved}"
    found, steps = len(Sequences.distinct) - before, sum(Sequences.counts.values())
    reached(f"{found:,} sequences of up to twenty steps, {steps:,} steps, 0 divergences")


@pytest.mark.usefixtures("no_sync")
@pytest.mark.parametrize("sequences", sizes("sequences of auto"))
def test_sequences_of_a_match_that_fits_itself(sequences: int, reached: Callable[[str], None]) -> None:
    """Fits are events; a change translates them. Every p_t replays, and a snapshot restores the same learner."""
    FittedSequences.ended = 0
    run(FittedSequences, sequences, derandomize=sequences < 100)
    assert FittedSequences.ended >= sequences
    reached(f"{FittedSequences.ended:,} sequences of the learner auto, 0 divergences")


@pytest.mark.usefixtures("no_sync")
def test_teeth_a_match_that_drops_a_tell_without_a_word() -> None:
    with pytest.raises(AssertionError):
        run(DeafSequences, 200, [Phase.generate])


def awake(setting: Setting, sequence: int) -> range:  # noqa: ARG001 - in place of the method
    """Forget that added actions were not on the menu before."""
    return range(0)


def present_reward(state: State, played: Any, response: Any) -> float:
    """Take the present reward for rounds that were told before."""
    return EARNED(replace(state, setting=replace(state.setting, before=())), played, response)


def never_retired(setting: Setting, context: Any) -> list[int]:  # noqa: ARG001 - in place of the method
    """Forget that actions are retired."""
    return []


def stale(state: State, event: Any) -> None:
    """Go on with the learner of the former setting."""
    state.setting = Setting.restored(event.payload).following(state.setting, event.sequence)


EARNED = State.reward


@pytest.mark.usefixtures("no_sync")
@pytest.mark.parametrize(
    ("where", "name", "broken"),
    [
        (Setting, "added_since", awake),
        (State, "reward", present_reward),
        (Setting, "closed", never_retired),
        (State, "_changed", stale),
        (health, "decided", lambda learner, *_: learner.strategy),
    ],
    ids=["sleep is forgotten", "present reward", "retired are played", "stale learner", "retired are likeliest"],
)
def test_teeth_of_changes(monkeypatch: pytest.MonkeyPatch, where: Any, name: str, broken: Any) -> None:
    monkeypatch.setattr(where, name, broken)
    with pytest.raises((AssertionError, ValueError, IndexError, DamagedStore)):
        run(type("Broken", (Sequences,), {}), 400, [Phase.generate])
