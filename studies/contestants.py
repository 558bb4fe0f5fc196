"""The learners that `auto` is compared with in the studies, by label, and candidates for the hand-tuned one."""

from firstmover.core.contracts import Learner
from firstmover.runs.arena.contestants import HAND, contestant, faces_one_type
from firstmover.runs.arena.families import FAMILIES
from firstmover.runs.arena.instances import instance_of

PAPER, HEDGE, REWARDS, EXP3 = "StackelUCB", "Hedge", "GP-MW", "Exp3"
RIVALS = (HAND, PAPER, HEDGE, REWARDS, EXP3)
"""Beside `auto`: the hand-tuned learner of the family; StackelUCB as in the paper, with its rate, horizon and a fitted
kernel; Hedge with full information and the paper's rate; GP-MW with a fitted kernel, GP-UCB against one type; Exp3."""

WIDTHS = (0.1, 0.3, 1.0, 2.0)

CANDIDATES: dict[str, tuple[tuple[str, str, float], ...]] = {
    **{
        family: tuple(("anytime", kernel, width) for kernel in ("family", "fitted") for width in WIDTHS)
        for family in FAMILIES
    },
    **{
        family: (("choice", "family", 0.0), *(("single-type", "fitted", width) for width in WIDTHS))
        for family in ("park", "near park")
    },
}
CANDIDATES["security"] = (("choice", "family", 0.0), *CANDIDATES["security"])
"""Settings by hand: the learner, the kernel, which is that of the instance or fitted beforehand, and β."""


def labelled(label: str, family: str, seed: int, rounds: int) -> Learner:
    """Return a learner by its label, for so many rounds of an instance."""
    one = faces_one_type(instance_of(family, seed).game)
    names = {
        PAPER: "single-type" if one else "stackelucb",
        REWARDS: "gp-ucb" if one else "gp-mw",
        HEDGE: "hedge",
        EXP3: "exp3",
    }
    return contestant(names.get(label, label), family, seed, rounds)
