"""What can be compared, in a few words: an experiment's folder, or one arena of a sweep's."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class StoredRun:
    """Runs of one game, opponent and horizon; `learners` names their curves.

    `about` says what tells a curve from others: its learner, and where it comes from a sweep the learner's parameters.
    """

    name: str
    kind: str
    title: str
    game: str
    opponent: str
    learners: tuple[str, ...]
    seeds: int
    rounds: int
    about: dict[str, dict[str, str]] = field(default_factory=dict)
