"""Late, missing, repeated, corrected, overridden, out of order, from two clients at once: as the model says."""

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from firstmover.core.errors import Conflict, InvalidInput
from firstmover.matches import Match, database
from tests.matches.played import ROUTES, new
from tests.torture.children import parts
from tests.torture.model import Model, Told

PROMISE = "late, missing, out of order"
NAMES = st.sampled_from(["1", "2", "3", "monday", "tuesday"])
TOLD = st.tuples(st.sampled_from(["low", "high"]), st.sampled_from([0.0, 1.5, 20.0]))
WHO = st.integers(0, 1)
ACTION = st.none() | st.integers(0, 3)
MASK = st.none() | st.sets(st.integers(0, 3)).map(lambda found: tuple(sorted(found)))
ROW = st.tuples(st.integers(0, 3), TOLD)
ROWS = st.lists(ROW, min_size=1, max_size=3).map(tuple)


@cache
def created() -> bytes:
    """A store with a match of which nothing was asked yet."""
    with tempfile.TemporaryDirectory() as folder:
        new(Path(folder)).close()
        Match.create(Path(folder) / "matches.db", "taken", ROUTES).close()
        return (Path(folder) / "matches.db").read_bytes()


class Sequences(RuleBasedStateMachine):
    """Two clients of one match, and the model beside them."""

    kind: type[Match] = Match
    ended = 0

    @initialize()
    def create(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
        self.path, self.steps = self.folder / "m.db", 0
        self.path.write_bytes(created())
        self.clients = [self.kind.open(self.path, "roads") for _ in range(2)]
        self.watcher = Match.open(self.path, "roads", read_only=True)
        self.model = Model(self.clients[0].setting)

    def teardown(self) -> None:
        if hasattr(self, "clients"):
            for client in self.clients:
                self.check(client)
                client.close()
            self.watcher.close()
            with Match.open(self.path, self.model.name) as match:
                assert match.verify().rounds == len(self.model.rounds)
                assert match.learner().strategy.tobytes() == self.model.learner().strategy.tobytes()
            shutil.rmtree(self.folder)
            type(self).ended += 1

    @rule(who=WHO, name=st.none() | NAMES, without=MASK)
    def ask(self, who: int, name: str | None, without: tuple[int, ...] | None) -> None:
        expected = self.model.next_name(name)
        refused = self.model.refused(expected, without)
        if refused is not None:
            with pytest.raises(refused, match=r"nothing was|No action of the menu is allowed"):
                self.clients[who].ask(name, without=without)
            return
        decision = self.clients[who].ask(name, without=without)
        assert decision.round_id == expected
        said = self.model.asked(expected, decision.action, decision.strategy.tobytes(), without)
        assert said in ("new", "same"), said

    @rule(who=WHO, name=NAMES, told=TOLD, action=ACTION)
    def tell(self, who: int, name: str, told: Told, action: int | None) -> None:
        self._agree(self.model.close(name, told, action), self.clients[who].tell, name, *told, played=action)

    @rule(who=WHO, name=NAMES, row=ROW)
    def record(self, who: int, name: str, row: tuple[int, Told]) -> None:
        self._agree(self.model.record(name, row), self.clients[who].record, row[0], *row[1], record_id=name)

    @rule(who=WHO, name=NAMES)
    def void(self, who: int, name: str) -> None:
        self._agree(self.model.close(name, None), self.clients[who].void, name, "missing")

    @rule(who=WHO, name=NAMES, told=st.none() | TOLD, action=ACTION)
    def correct(self, who: int, name: str, told: Told | None, action: int | None) -> None:
        def corrected() -> bool:
            return self.clients[who].correct(name, *(told or (None, None)), reason="misread", played=action)

        self._agree(self.model.correct(name, told, action), corrected)

    @rule(who=WHO, rows=ROWS)
    def take_in(self, who: int, rows: tuple[tuple[int, Told], ...]) -> None:
        given = [{"action": action, "type": told[0], "response": told[1]} for action, told in rows]
        self._agree(self.model.take_in(rows), lambda: self.clients[who].import_history(given, again=True).new)

    @rule(who=WHO, name=st.sampled_from(["roads", "streets", "taken"]))
    def rename(self, who: int, name: str) -> None:
        self._agree(self.model.rename(name), self.clients[who].rename, name)

    @rule(who=WHO, archived=st.sampled_from([True, False, False]))
    def archive(self, who: int, archived: bool) -> None:
        client = self.clients[who]
        self._agree(self.model.archive(archived), client.archive if archived else client.unarchive)

    @rule(who=WHO)
    def reopen(self, who: int) -> None:
        self.check(self.clients[who])  # what it had wrong would be forgotten with it
        self.clients[who].close()
        self.clients[who] = self.kind.open(self.path, self.model.name)

    @rule()
    def watch(self) -> None:
        for view in self.watcher.history():
            played = self.model.rounds[view.round_id]
            assert view.action == (None if played.status == "pending" else played.action)

    @invariant()
    def the_same_rounds(self) -> None:
        """One client after each step, the other after the next; both in the end."""
        self.steps += 1
        self.check(self.clients[self.steps % 2])

    def check(self, client: Match) -> None:
        rounds = client.state().rounds.values()
        assert (client.name, client.state().archived) == (self.model.name, self.model.archived)
        found = [(p.round_id, p.status, p.action) for p in rounds]
        assert found == [(name, p.status, p.action) for name, p in self.model.rounds.items()]
        for played in rounds:
            model = self.model.rounds[played.round_id]
            assert played.delay == (model.delay or 0)
            told = model.told
            expected = (None, None) if told is None else ({"demand": told[0]}, {"congestion": told[1]})
            assert played.observed == expected
            assert played.played == model.played
            assert played.without == model.without
        assert len(client.state().records) == len(self.model.records)

    def _agree(self, expected: str, call: Callable[..., object], *args: Any, **more: Any) -> None:
        try:
            found = "new" if call(*args, **more) else "same"
        except (Conflict, InvalidInput) as error:
            found = type(error).__name__
        assert found == expected


class Deaf(Match):
    """Drops a tell that does not fit, without a word."""

    def tell(self, round_id: str, opponent_type: object, response: object, **more: Any) -> bool:
        try:
            return super().tell(round_id, opponent_type, response, **more)
        except (Conflict, InvalidInput):
            return False


class DeafSequences(Sequences):
    kind = Deaf


@pytest.fixture
def no_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without waiting for the disk: sequences are about order, and nobody pulls the plug."""
    fast = [setting.replace("EXTRA", "OFF") for setting in database.SAFE_SETTINGS]
    monkeypatch.setattr(database, "SAFE_SETTINGS", fast)


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


@pytest.mark.usefixtures("no_sync")
@pytest.mark.parametrize(("part", "sequences"), parts((15,), (2_000,), 25))
def test_every_sequence_ends_as_the_model_says(part: int, sequences: int, reached: Callable[[str], None]) -> None:
    """The short version always draws the same sequences; every part of the full programme draws others."""
    Sequences.ended = 0
    run(Sequences, sequences, derandomize=part == 0)
    assert Sequences.ended >= sequences, f"part {part} came to its end too early"
    reached(f"{Sequences.ended:,} sequences of up to twenty steps, 0 divergences")


@pytest.mark.usefixtures("no_sync")
def test_teeth_a_match_that_drops_a_tell_without_a_word() -> None:
    with pytest.raises(AssertionError):
        run(DeafSequences, 200, [Phase.generate])
