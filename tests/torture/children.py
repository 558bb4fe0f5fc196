"""Children that use a match until they are killed."""

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from firstmover.matches import Match
from tests.matches.played import answer

context = multiprocessing.get_context("forkserver")
context.set_forkserver_preload(["__main__", "tests.torture.warm"])
"""A server that has everything loaded gives birth to children in milliseconds, and has no threads of its own."""

KILLED = -9
PATIENCE = 600
"""Seconds without a message after which a child is taken for hung."""
Say = Callable[[str], None]


def nothing(_: str) -> None:
    """Where nobody wants to hear how far a programme came."""


class Child:
    """A process that sends what it did; `target` is called with the sender and `args`."""

    def __init__(self, target: Callable[..., None], *args: Any) -> None:
        self._receiver, sender = context.Pipe(duplex=False)
        self.process = context.Process(target=target, args=(sender, *args))
        self.process.start()
        sender.close()
        self.said: list[Any] = []

    def hear(self, messages: int) -> list[Any]:
        """Wait until the child has sent this many messages in all, or has ended."""
        try:
            while len(self.said) < messages:
                if not self._receiver.poll(PATIENCE):
                    self.process.kill()
                    raise AssertionError(f"the child said nothing for {PATIENCE} seconds")
                self.said.append(self._receiver.recv())
        except (EOFError, OSError):  # it ended, perhaps in the middle of a message
            pass
        return self.said

    def kill(self) -> list[Any]:
        """End it without a warning; all that it sent before."""
        self.process.kill()
        return self.end(KILLED)

    def end(self, code: int = 0) -> list[Any]:
        """All that the child sent until it ended, with this exit code."""
        self.hear(1 << 62)
        self.process.join(PATIENCE)
        assert self.process.exitcode == code, f"the child ended with {self.process.exitcode}"
        self._receiver.close()
        self.process.close()
        return self.said


def player(sender: Connection, kind: type[Match], url: str, last: int = 0, name: str = "roads") -> None:
    """Play on, and say what is acknowledged: ("asked", round, action, p) and ("told", round, type, response)."""
    _play(sender, kind, url, last, name)


def changing_player(sender: Connection, kind: type[Match], url: str) -> None:
    """Play on as `player` does, and say further ("changed", round, what, value): menu, reward and levels change."""
    _play(sender, kind, url, changes=True)


def _play(
    sender: Connection, kind: type[Match], url: str, last: int = 0, name: str = "roads", *, changes: bool = False
) -> None:
    with kind.open(url, name) as match:
        while True:
            decision = match.ask()
            sender.send(("asked", decision.round_id, decision.action, decision.probability))
            demand, congestion = answer(decision, int(decision.round_id))
            match.tell(decision.round_id, demand, congestion)
            sender.send(("told", decision.round_id, {"demand": demand}, {"congestion": congestion}))
            if changes and (made := change(match, int(decision.round_id))):
                sender.send(("changed", decision.round_id, *made))
            if decision.round_id == str(last):
                return


def change(match: Match, number: int) -> tuple[str, Any] | None:
    """The change that follows every fourth round, as the match acknowledges it."""
    label, last, level = f"road {number}", match.setting.menu.labels[-1], f"level {number}"
    row = {"label": label, "north": 1.0 + number % 9, "south": number / 100, "units": 10.0}
    reward = {"value": float(number), "responses": {"congestion": -2.0}}
    calls: dict[int, tuple[str, Any, Callable[[], bool]]] = {
        4: ("added", label, lambda: match.add_actions([row])),
        8: ("reward", float(number), lambda: match.set_reward(reward)),
        12: ("retired", last, lambda: match.retire(last)),
        0: ("level", level, lambda: match.add_levels("demand", {level: 1.0 + number / 100})),
    }
    what, value, call = calls.get(number % 16, ("nothing", None, lambda: False))
    return (what, value) if call() else None


def check_acknowledged(match: Match, said: list[Any]) -> None:
    """All that was acknowledged is in the store, once, as it was acknowledged."""
    state = match.state()
    for kind, round_id, *values in said:
        played = state.rounds.get(round_id)
        assert played is not None, f"round {round_id} is lost"
        if kind == "asked":
            assert [played.action, played.probability] == values, f"the action of round {round_id} changed"
        elif kind == "told":
            assert list(played.observed) == values, f"the tell of round {round_id} is lost"
        else:
            assert tuple(values) in changes_in(match), f"the change after round {round_id} is lost"
    events = 1 + len(state.rounds) + state.told + len(state.setting.before) + len(state.imports)
    assert state.sequence == events, "something is recorded twice"


def changes_in(match: Match) -> set[tuple[str, Any]]:
    """All changes of a match as `change` names them."""
    setting = match.state().setting
    menu, [demand] = setting.menu, setting.config.types or ()
    rewards = [each.config.reward for _, each in (*setting.before, (0, setting))]
    return {
        *(("added", label) for label in menu.labels),
        *(("retired", menu.labels[i]) for i in menu.retired),
        *(("reward", None if reward is None else reward.value) for reward in rewards),
        *(("level", level) for level in demand.levels or ()),
    }
