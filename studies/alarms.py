"""Alarms of `auto`: false ones in healthy runs of all families, and one scenario made for each alarm."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Self

import numpy as np
import polars as pl
from sklearn.gaussian_process.kernels import RBF

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.records import Box, Feedback
from firstmover.games.opponent import Opponent
from firstmover.games.rewards import increasing
from firstmover.learners.alarms import Monitor, Observed, all_alarms, has_model, model_of
from firstmover.runs import Task
from firstmover.runs.arena.contestants import automatic
from firstmover.runs.arena.families import REPORT, Instance
from firstmover.runs.arena.instances import instance_of
from firstmover.simulation import Sampled, single
from firstmover.simulation.loop import play_run
from studies.fresh import warm_template

ROUNDS, EVERY = 200, 5
"""Rounds of a run, and between two looks at its observations."""

HEALTHY = {
    "park": 12,
    "near park": 2,
    "prices": 14,
    "roads": 14,
    "bimatrix": 8,
    "security": 8,
    "response": 21,
    "kiosk": 21,
}
"""Healthy runs per family, 100 in all. Parks are played by choices, for which no alarms are computed."""


@dataclass(frozen=True, eq=False)
class Monitored:
    """A learner with the first round of each alarm: by the monitor in any round, by the observations in every fifth."""

    learner: Any
    monitor: Monitor = field(default_factory=Monitor)
    first: dict[str, int] = field(default_factory=dict)
    seen: list[Feedback] = field(default_factory=list)

    @property
    def strategy(self) -> Vector:
        """p_t."""
        return self.learner.strategy

    def observe(self, feedback: Feedback) -> Self:
        """Compare the response with the prediction, then observe."""
        if not has_model(self.learner):
            return replace(self, learner=self.learner.observe(feedback))
        monitor = self.monitor.after(model_of(self.learner), feedback)
        self.seen.append(feedback)
        learner, found = self.learner.observe(feedback), monitor.alarms
        if monitor.rounds % EVERY == 0:
            model, numbers = model_of(learner), np.arange(1, monitor.rounds + 1)
            found = all_alarms(monitor, model, Observed.of(model.game, self.seen, numbers))
        for alarm in found:
            self.first.setdefault(alarm.name, monitor.rounds)
        return replace(self, learner=learner, monitor=monitor)


@dataclass(frozen=True)
class AlarmTask:
    """One run of `auto` on a family's instance, or on a scenario, with the seed `instance`; `seed` numbers the runs."""

    seed: int
    family: str
    instance: int
    rounds: int = ROUNDS
    label: str = "auto"

    def play(self) -> pl.DataFrame:
        """Play the run: the alarms at any time and their first rounds, empty if there are none."""
        made = SCENARIOS.get(self.family)
        instance = instance_of(self.family, self.instance) if made is None else made()
        monitored = Monitored(automatic(instance))
        play_run(
            instance.game, instance.opponent, monitored, self.rounds + 1, self.instance
        )  # the last is not observed
        found = ", ".join(f"{name} ({t})" for name, t in monitored.first.items())
        return pl.DataFrame(
            {"family": self.family, "seed": self.instance, "scenario": made is not None, "alarms": found}
        )


def alarm_tasks(first: int = REPORT.start) -> list[Task]:
    """Return 100 healthy runs, each on an instance of its own, and one run of each scenario."""
    runs = [(family, first + i) for family, runs in HEALTHY.items() for i in range(runs)]
    runs += [(name, first) for name in SCENARIOS]
    return [AlarmTask(number, *run) for number, run in enumerate(runs)]


def summarise_alarms(table: pl.DataFrame) -> pl.DataFrame:
    """One row per healthy run with an alarm and per scenario: the alarms with their first rounds."""
    return table.filter(pl.col("scenario") | (pl.col("alarms") != "")).select("family", "seed", "alarms")


def false_alarms(table: pl.DataFrame) -> tuple[int, int]:
    """The healthy runs with an alarm, and all healthy runs."""
    healthy = table.filter(~pl.col("scenario"))
    return int((healthy["alarms"] != "").sum()), len(healthy)


def raised(table: pl.DataFrame) -> tuple[int, int]:
    """The scenarios whose alarm was raised, and all scenarios; each has the name of its alarm."""
    made = table.filter("scenario")
    found = [name in alarms for name, alarms in zip(made["family"], made["alarms"], strict=True)]
    return sum(found), len(found)


# Scenarios


@dataclass(frozen=True)
class Recorded(Opponent):
    """An opponent whose responses are recorded as `change` says, which takes round, response and generator."""

    change: Callable[[int, Vector, np.random.Generator], Vector] | None = None
    rounds: Iterator[int] = field(default_factory=lambda: count(1))

    def seen(self, true_response: Vector, rng: np.random.Generator) -> Vector:
        """What is recorded in the next round."""
        assert self.change is not None
        return self.change(next(self.rounds), super().seen(true_response, rng), rng)


def _recorded(change: Callable[[int, Vector, np.random.Generator], Vector]) -> Instance:
    """The pricing template with temperature, responses recorded otherwise."""
    instance = warm_template()
    types, respond, noise = instance.opponent.types, instance.opponent.respond, instance.opponent.noise_std
    return replace(instance, opponent=Recorded(types, respond, noise, change=change))


def growing_number() -> Instance:
    """Return the template with a number that grows by a fifth in every round in place of the temperature."""
    instance, rounds = warm_template(), count(1)

    def respond(actions: Matrix, opponent_type: Vector, /) -> Matrix:
        return np.clip(40 + 30 * np.sin(3 * np.log(opponent_type[2])) - 3 * (actions[:, [0]] - 8), 0, 100)

    source = Sampled(lambda _: np.array([1.0, 0.0, 1.2 ** next(rounds)]))
    return replace(instance, opponent=Opponent(source, respond, 3.0))


def unrelated_actions() -> Instance:
    """Return twelve actions without common features, of which the last is the best by far."""
    values = np.append(5 + 4 * np.sin(2.4 * np.arange(11)), 14.0)
    game = Game("names", np.eye(12), increasing(lambda _, y: y[:, 0]), Box([0.0], [20.0]), types=np.zeros((1, 1)))
    opponent = Opponent(single(np.zeros(1)), lambda actions, _: (actions @ values)[:, None], 0.1)
    return Instance("names", 0, "names", game, opponent, RBF(1.0), 0.01)


SCENARIOS: dict[str, Callable[[], Instance]] = {
    "not generalising": growing_number,
    "optimism": lambda: _recorded(lambda t, y, _: y if t <= 100 else 0.3 * y),
    "locked in": unrelated_actions,
    "no better than a constant": lambda: _recorded(lambda _t, _y, rng: rng.normal(50.0, 15.0, 1).clip(0.0, 100.0)),
    "calibration": lambda: _recorded(lambda t, y, _: y if t <= 80 or t % 2 else 1000 * y),
    "drift": lambda: _recorded(lambda t, y, _: y if t <= 100 else 60 - y),
    "heavy tails": lambda: _recorded(lambda _t, y, rng: y + 8.0 * rng.standard_t(2.0, 1)),
    "outlier": lambda: _recorded(lambda t, y, _: 1e6 * y if t == 120 else y),
}
"""By alarm: a type that only grows, demand that falls to 30 % from round 101, actions without features, noise in place
of responses, every other response in other units from round 81, another column from round 101, noise with heavy tails,
one typing error."""
