"""Many clients on one service: each round is asked and told by several at once."""

import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field

from firstmover.core.errors import Conflict
from firstmover.service.client import Client

RACING = 4
"""Clients that ask and tell the same round; one of them tells another response."""


@dataclass
class Race:
    """What came of it, round by round."""

    actions: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    won: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    told: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    odd: list[str] = field(default_factory=list)
    calls: int = 0
    seconds: float = 0.0

    def play(self, address: str, token: str, tasks: list[tuple[str, float]]) -> None:
        """One client."""
        with Client(address, token) as client:
            match = client.open("roads")
            for round_id, response in tasks:
                try:
                    self.actions[round_id].add(match.ask(round_id).action)
                    new = match.tell(round_id, {"demand": "low"}, {"congestion": response})
                    self.told[round_id].append("new" if new else "same")
                    if new:
                        self.won[round_id].append(response)
                except Conflict:
                    self.told[round_id].append("conflict")
                except Exception as error:
                    self.odd.append(repr(error))


def race(address: str, token: str, clients: int, rounds: int) -> Race:
    """Every round by four of the clients at about the same time."""
    tasks: list[list[tuple[str, float]]] = [[] for _ in range(clients)]
    for number in range(rounds):
        for turn in range(RACING):
            tasks[(number * RACING + turn) % clients].append((f"r{number}", 2.0 if turn == number % RACING else 1.0))
    found = Race()
    threads = [threading.Thread(target=found.play, args=(address, token, own)) for own in tasks]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found.seconds, found.calls = time.perf_counter() - start, 2 * RACING * rounds
    return found
