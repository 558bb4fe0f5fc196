"""The values of policies in the rounds of a match: the record of an evaluation, for people and programs."""

from dataclasses import asdict, dataclass
from typing import Any

from firstmover.core.errors import counted


@dataclass(frozen=True)
class PolicyValue:
    """The value of a policy per round, with its 95 % band, and what the recorded propensities say.

    Estimates by propensities come with standard errors. They are None for another learner, whose decisions would have
    followed other responses, and where no round with a known propensity gives the policy any weight. `uncovered` is the
    share of its probability on actions with p_t = 0.
    """

    policy: str
    value: float
    lower: float
    upper: float
    inverse_propensity: float | None = None
    inverse_propensity_error: float | None = None
    self_normalised: float | None = None
    self_normalised_error: float | None = None
    doubly_robust: float | None = None
    doubly_robust_error: float | None = None
    effective_sample_size: float | None = None
    uncovered: float | None = None
    warning: str = ""

    def row(self) -> dict[str, Any]:
        """One row of a table for people."""

        def with_error(value: float | None, error: float | None) -> str | None:
            return None if value is None or error is None else f"{value:.4g} ± {error:.2g}"

        size = self.effective_sample_size
        return {
            "policy": self.policy,
            "by the model": f"{self.value:.4g} ({self.lower:.4g} to {self.upper:.4g})",
            "inverse propensity": with_error(self.inverse_propensity, self.inverse_propensity_error),
            "self-normalised": with_error(self.self_normalised, self.self_normalised_error),
            "doubly robust": with_error(self.doubly_robust, self.doubly_robust_error),
            "effective sample": None if size is None else f"{size:.1f}",
            "warning": self.warning,
        }


@dataclass(frozen=True)
class PolicyValues:
    """The values of policies per round, beside what the match earned in its told rounds.

    `propensities` counts the rounds in which the drawn action was played, so that its propensity is known.
    """

    rounds: int
    propensities: int
    earned: float
    policies: tuple[PolicyValue, ...]

    def as_dict(self) -> dict[str, Any]:
        """All of it by name, for programs."""
        return asdict(self)

    def lines(self) -> list[str]:
        """The rounds and what they earned, in sentences."""
        known = "" if self.propensities == self.rounds else f", {self.propensities} of them with a known propensity"
        return [f"{counted(self.rounds, 'told round')}{known}: {self.earned:.4g} earned per round."]
