"""Rounds and steps of a state equal those of a plain model, for any names and corrections."""

from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from firstmover.matches import MatchRound, State
from firstmover.matches.commands import chosen_round
from firstmover.matches.events import Draft, Event
from firstmover.matches.learner_state import rows_of
from firstmover.matches.setup import Setting
from firstmover.matches.state import _position
from tests.matches.played import ROUTES

NAMES = st.sampled_from(
    ["1", "2", "3", "4", "10", "0", "007", "02", "-1", "+2", "٣", "²", "Ⅳ", "1_0", "2 ", "ü", "9" * 80]
)
"""Numbers of other rounds, what Python reads as a number, and what only looks like one."""

WORDS = ("ask", "ask", "ask", "tell", "tell", "void", "correct", "correct", "make void", "import", "refit")
STEPS = st.lists(st.tuples(st.sampled_from(WORDS), st.none() | NAMES, st.integers(0, 9)), min_size=12, max_size=40)


@cache
def setting() -> Setting:
    return Setting.of(ROUTES)


class Plain:
    """A state and, beside it, rounds and steps as dictionaries and lists of Python's own."""

    def __init__(self) -> None:
        self.state, self.rounds, self.steps = State(setting(), "roads"), dict[str, dict[str, Any]](), dict[int, str]()

    def record(self, draft: Draft) -> int:
        event = Event.following(self.state.mark, self.state.sequence + 1, "now", draft, "ann")
        self.state.apply(event)
        return event.sequence

    def ask(self, name: str | None, number: int) -> None:
        wanted = chosen_round(self.state, name)
        if name is None:
            waiting = [known for known, played in self.rounds.items() if played["status"] == "pending"]
            free = (str(i) for i in range(len(self.rounds) + 1, 1000) if str(i) not in self.rounds)
            assert wanted == (waiting[-1] if waiting else next(free))
        assert (wanted in self.state.rounds) == (wanted in self.rounds)
        if wanted not in self.rounds:
            payload = {
                "action": number,
                "probability": number / 9,
                "strategy": '"',
                "uniform": 0.5,
                "config": ',"strategy":',
            }
            asked = self.record(Draft("asked", payload, wanted))
            self.rounds[wanted] = {"status": "pending", "action": number, "probability": number / 9, "asked": asked}
            self.rounds[wanted] |= {"number": len(self.rounds), "closed": 0, "response": None, "delay": 0}
            self.rounds[wanted] |= {"reason": "", "corrections": 0}

    def close(self, name: str, response: float | None) -> None:
        if name in self.rounds and self.rounds[name]["status"] == "pending":
            told, delay = response is not None, len(self.rounds) - self.rounds[name]["number"]
            payload = values(response) if told else {"reason": "missing"}
            closed = self.record(Draft("told" if told else "voided", payload, name))
            self.rounds[name] |= {"status": "told" if told else "void", "closed": closed, "response": response}
            self.rounds[name] |= {"delay": delay, "reason": "" if told else "missing"}
            if told:
                self.steps[closed] = name

    def correct(self, name: str, response: float | None) -> None:
        played = self.rounds.get(name, {"status": "pending"})
        if played["status"] != "pending":
            sequence = self.record(Draft("corrected", values(response) | {"reason": f"no {response}"}, name))
            played |= {"status": "void" if response is None else "told", "response": response}
            played |= {"reason": f"no {response}", "corrections": played["corrections"] + 1}
            self.steps.pop(played["closed"], None)
            if response is not None:
                self.steps[played["closed"]] = name
            assert sequence == self.state.sequence

    def check(self) -> None:
        state = self.state
        assert list(state.rounds) == list(self.rounds)
        assert list(state.pending) == [name for name, played in self.rounds.items() if played["status"] == "pending"]
        assert state.told == sum(played["status"] == "told" for played in self.rounds.values())
        for name, played in self.rounds.items():
            found = state.rounds[name]
            assert {key: getattr(found, key) for key in played if key != "response"} | {"name": found.round_id} == {
                key: value for key, value in played.items() if key != "response"
            } | {"name": name}
            assert (found.response or {}).get("congestion") == played["response"]
        order = sorted(self.steps)
        assert [_position(step) for step in state.steps] == order
        for step, sequence in zip(state.steps, order, strict=True):
            assert isinstance(step, MatchRound) == (self.steps[sequence] in self.rounds)
            if isinstance(step, MatchRound):
                played = self.rounds[self.steps[sequence]]
                assert rows_of(step)[0][::2] == (played["action"], {"congestion": played["response"]})


def values(response: float | None) -> dict[str, Any]:
    if response is None:
        return {"type": None, "response": None}
    return {"type": {"demand": "low"}, "response": {"congestion": response}}


@given(STEPS)
@settings(deadline=None, max_examples=150)
def test_rounds_and_steps_are_those_of_plain_dictionaries(steps: list[tuple[str, str | None, int]]) -> None:
    plain = Plain()
    for word, wanted, number in steps:
        name = [*plain.rounds, "0"][number % (len(plain.rounds) or 1)]
        if word == "ask":
            plain.ask(wanted, number)
        elif word in ("tell", "void"):
            plain.close(name, float(number) if word == "tell" else None)
        elif word in ("correct", "make void"):
            plain.correct(name, float(number) if word == "correct" else None)
        elif word == "import":
            row = {"action": 0, **values(1.0)}
            plain.steps[plain.record(Draft("imported", {"rows": [row] * number, "source": ""}, claim=name))] = ""
        else:
            plain.steps[plain.record(Draft("refitted", {"theta": [0.0] * (number % 2)}, claim=name))] = ""
    plain.check()
