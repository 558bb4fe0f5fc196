"""A match of many rounds, written straight into a journal: nobody learns while it is made, so it takes seconds."""

from pathlib import Path
from typing import Any

import numpy as np

from firstmover.matches import Match
from firstmover.matches.events import Draft, packed


def write_rounds(match: Match, rounds: int, levels: list[Any], seed: int = 0) -> None:
    """Rounds 1, 2, … with strategies that sharpen over time and responses drawn within the domain."""
    rng, journal, state = np.random.default_rng(seed), match.journal, match.state()
    setting = match.setting
    n, domain = len(setting.menu.labels), setting.responses.domain
    liking, after, mark = rng.normal(size=n), state.sequence, state.mark
    with journal.alone():
        for number in range(1, rounds + 1):
            strategy = np.exp(liking * number / rounds * 6)
            strategy /= strategy.sum()
            action = int(rng.choice(n, p=strategy))
            asked = {"action": action, "probability": float(strategy[action]), "strategy": packed(strategy)}
            values = rng.uniform(np.maximum(domain.lower, 0), np.minimum(domain.upper, 10))
            told = {
                "type": setting.types.read(levels[int(rng.integers(len(levels)))]),
                "response": dict(zip(setting.responses.names, values.tolist(), strict=True)),
            }
            claims = f"asked:{number}", f"closed:{number}"
            for draft in (Draft("asked", asked, str(number), claims[0]), Draft("told", told, str(number), claims[1])):
                event = journal.append(draft, after, mark)
                after, mark = event.sequence, event.hash


def long_match(folder: Path, config: dict[str, Any], rounds: int, levels: list[Any], name: str = "long") -> Match:
    """A new match in a file of its own, with so many rounds told."""
    match = Match.create(folder / "matches.db", name, config)
    write_rounds(match, rounds, levels)
    return match
