"""firstmover calibrate: the coverage of confidence boxes over response functions b drawn with a known norm."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import polars as pl
from pydantic import Field, field_validator

from firstmover.beliefs import ConstantWidth, LemmaWidth, belief_over
from firstmover.beliefs.confidence import FORMULAS
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import ConfidenceWidth, Game, Reward, worst_in_box
from firstmover.core.documents import Specification
from firstmover.core.errors import InvalidInput, look_up
from firstmover.core.linear_bounds import LinearBounds, LinearlyBounded, Plane
from firstmover.core.records import Box
from firstmover.games import GAMES
from firstmover.games.opponent import Tabulated
from firstmover.kernels import bind, pairs
from firstmover.learners import StackelUCB
from firstmover.runs.store import Manifest
from firstmover.runs.task import Task
from firstmover.simulation import Opponent, RandomTypes
from firstmover.simulation.loop import play_run
from firstmover.strategies import AdaHedge
from firstmover.theory import Proportion, coverage_of, random_response, responses_everywhere, width_used

KIND = "calibration"
WIDTHS = (*FORMULAS, "constant")
"""The formulas of `LemmaWidth`, and a constant β."""

SAMPLED_TYPES = 20
"""Types drawn where a game has no finite set of them."""

MOST_DRAWS = 100_000


class CalibrationSpec(Specification):
    """The game whose menu, types and kernel are used; the number and norm of functions; δ, λ and a constant β."""

    game: str
    draws: int = Field(default=200, ge=1, le=MOST_DRAWS)
    rounds: int = Field(default=25, ge=1, le=100_000)
    rkhs_norm_bound: float = Field(default=2.0, gt=0, allow_inf_nan=False)
    failure_probability: float = Field(default=0.1, gt=0, lt=1)
    regularizations: Annotated[tuple[float, ...], Field(strict=False, min_length=1)] = (0.25, 1.0, 4.0)
    noise_std: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    confidence_width: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    @field_validator("game")
    @classmethod
    def _known_game(cls, game: str) -> str:
        if game.startswith("bimatrix:"):
            raise InvalidInput(
                f"game {game!r} is one of payoff tables, whose followers choose among a few answers and are not drawn: "
                "give another of firstmover list games."
            )
        look_up("game", game, GAMES)
        return game

    @field_validator("regularizations")
    @classmethod
    def _above_zero(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        if not all(0 < value < np.inf for value in values) or len(set(values)) < len(values):
            raise InvalidInput(f"regularizations is {values}: give different finite numbers above 0.")
        return values

    @property
    def title(self) -> str:
        """The title of figures and tables."""
        return (
            f"{self.game}: {self.draws} responses of norm {self.rkhs_norm_bound:g}, {self.rounds} rounds each, "
            f"δ = {self.failure_probability:g}"
        )

    @property
    def manifest(self) -> Manifest:
        """The manifest of the folder of results."""
        labels = tuple(task.label for task in calibration_tasks(self))
        return Manifest(KIND, self.title, self.model_dump(mode="json"), labels, (0,), self.draws * (self.rounds + 1))


@dataclass(frozen=True, eq=False)
class Centred:
    """A reward of responses that are measured from the middle of their domain, where it is bounded.

    y = middle + half-width · y' / reach maps [−reach, reach] onto the domain; outputs without bounds stay as they are.
    """

    reward: Reward
    middle: Vector
    scale: Vector

    @classmethod
    def of(cls, game: Game, reach: float) -> "Centred":
        """The game's reward, for responses of at most this size."""
        low, high = game.response_domain.lower, game.response_domain.upper
        bounded = np.isfinite(low) & np.isfinite(high)
        middle, half = np.zeros(len(low)), np.full(len(low), reach)
        middle[bounded], half[bounded] = ((low + high) / 2)[bounded], ((high - low) / 2)[bounded]
        return cls(game.reward, middle, half / reach)

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row."""
        return self.reward(actions, self.middle + self.scale * responses)

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """The maximum over each box."""
        return self.reward.best_in_box(actions, self._moved(box))

    def worst_in_box(self, actions: Matrix, box: Box) -> Vector:
        """The minimum over each box."""
        return worst_in_box(self.reward, actions, self._moved(box))

    def linear_bounds(self, actions: Matrix, box: Box | None) -> LinearBounds | None:
        """Those of the reward, as functions of the centred responses."""
        if not isinstance(self.reward, LinearlyBounded):
            return None
        bounds = self.reward.linear_bounds(actions, None if box is None else self._moved(box))
        return bounds and LinearBounds(
            *(Plane(plane.at(self.middle[None]), plane.slope * self.scale) for plane in bounds)
        )

    def _moved(self, box: Box) -> Box:
        return Box(self.middle + self.scale * box.lower, self.middle + self.scale * box.upper)


class Drawing:
    """A game's menu, types and kernel, for responses that are drawn."""

    def __init__(self, spec: CalibrationSpec) -> None:
        entry = GAMES[spec.game]
        game = entry.build()
        behaviour = entry.opponents(game)
        self.kernel, self.entry = entry.kernel, entry
        self.noise_std = float(np.max(behaviour.noise_std if spec.noise_std is None else spec.noise_std))
        rng = np.random.default_rng(0)
        if game.types is not None:
            self.types = game.types
        else:
            assert behaviour.sampler is not None
            self.types = np.stack([behaviour.sampler(rng) for _ in range(SAMPLED_TYPES)])
        domain = pairs(game.actions, self.types)
        largest = bind(entry.kernel, game.actions.shape[1]).diag(domain).max()
        reach = spec.rkhs_norm_bound * float(np.sqrt(largest)) * (1 + 1e-9)  # |b(z)| ≤ B √k(z, z)
        everywhere = Box(np.full(game.n_outputs, -reach), np.full(game.n_outputs, reach))
        self.game = Game(game.name, game.actions, Centred.of(game, reach), everywhere, types=self.types)


@dataclass(frozen=True)
class CalibrationTask:
    """All drawn games at one λ with one width."""

    spec: CalibrationSpec
    regularization: float
    width: str
    seed: int = 0  # draw i has seed i; all are in one table

    @property
    def label(self) -> str:
        """The width and its λ."""
        return f"{self.width} {self.regularization:g}"

    @property
    def rounds(self) -> int:
        """Rows of the table."""
        return self.spec.draws * (self.spec.rounds + 1)

    @cached_property
    def drawing(self) -> Drawing:
        """The menu, types and kernel of the game."""
        return Drawing(self.spec)

    def confidence(self) -> ConfidenceWidth:
        """β_t."""
        spec, drawing = self.spec, self.drawing
        if self.width == "constant":
            given = spec.confidence_width
            return ConstantWidth(drawing.entry.confidence_width if given is None else given)
        return LemmaWidth(
            spec.rkhs_norm_bound,
            drawing.noise_std,
            self.regularization,
            spec.failure_probability,
            n_outputs=drawing.game.n_outputs,
            formula=self.width,
        )

    def play(self) -> pl.DataFrame:
        """One row per draw and round t = 0 … T: the share of the width that would have covered b everywhere."""
        used = np.stack([self._used(draw) for draw in range(self.spec.draws)])
        draws, times = np.indices(used.shape)
        return pl.DataFrame(
            {
                "regularization": np.full(used.size, self.regularization),
                "width": pl.repeat(self.width, used.size, eager=True),
                "draw": draws.ravel(),
                "t": times.ravel(),
                "used": used.ravel(),
            }
        )

    def _used(self, draw: int) -> Vector:
        drawing, game = self.drawing, self.drawing.game
        rng = np.random.default_rng([draw, 1])
        respond = random_response(
            drawing.kernel, game.actions, drawing.types, self.spec.rkhs_norm_bound, n_outputs=game.n_outputs, rng=rng
        )
        belief = belief_over(drawing.kernel, self.regularization, game.actions, game.n_outputs, drawing.types)
        learner = StackelUCB(game, belief, self.confidence(), AdaHedge.start(game.n_actions))
        everywhere = responses_everywhere(game, respond, drawing.types)
        table = Tabulated(game.actions, drawing.types, everywhere)
        opponent = Opponent(RandomTypes(drawing.types), table, drawing.noise_std)
        run = play_run(game, opponent, learner, self.spec.rounds, draw)
        return width_used(belief, learner.confidence, run, drawing.types, everywhere)


def calibration_tasks(spec: CalibrationSpec) -> list[Task]:
    """Every λ with every width."""
    return [CalibrationTask(spec, value, width) for value in spec.regularizations for width in WIDTHS]


@dataclass(frozen=True)
class Coverage:
    """At one λ with one width: the share of games that covered b throughout, and the median share of the width used."""

    regularization: float
    width: str
    share: Proportion
    used: float


def coverages(table: pl.DataFrame) -> list[Coverage]:
    """The coverage at every λ with every width."""
    found = []
    for part in table.partition_by("regularization", "width", maintain_order=True):
        used = part["used"].to_numpy().reshape(part["draw"].n_unique(), -1)
        first: dict[str, Any] = part.row(0, named=True)
        median = float(np.median(used.max(axis=1)))
        found.append(Coverage(first["regularization"], first["width"], coverage_of(used), median))
    return found
