"""Theory applied to runs: regret bounds, information gain, coverage of confidence boxes."""

from firstmover.theory.analysis import RunAnalysis
from firstmover.theory.bounds import Premises, RegretBound, corollary_2, corollary_3, theorem_1
from firstmover.theory.certificate import (
    Certificate,
    NormBound,
    estimated_certificate,
    proved_certificate,
    run_certificate,
)
from firstmover.theory.compared_rounds import Played
from firstmover.theory.coverage import (
    Proportion,
    Reliability,
    coverage_of,
    covers,
    reliability_curve,
    responses_everywhere,
    standard_errors,
    width_used,
    width_used_as_played,
)
from firstmover.theory.gain import GreedyGain, Rate, greedy_gain, rate_of
from firstmover.theory.lipschitz import LipschitzEstimate, estimate_reward_lipschitz
from firstmover.theory.random_responses import KernelSum, random_response
from firstmover.theory.replay import Believer, RegretSplit, Replay, split_of

__all__ = [
    "Believer",
    "Certificate",
    "GreedyGain",
    "KernelSum",
    "LipschitzEstimate",
    "NormBound",
    "Played",
    "Premises",
    "Proportion",
    "Rate",
    "RegretBound",
    "RegretSplit",
    "Reliability",
    "Replay",
    "RunAnalysis",
    "corollary_2",
    "corollary_3",
    "coverage_of",
    "covers",
    "estimate_reward_lipschitz",
    "estimated_certificate",
    "greedy_gain",
    "proved_certificate",
    "random_response",
    "rate_of",
    "reliability_curve",
    "responses_everywhere",
    "run_certificate",
    "split_of",
    "standard_errors",
    "theorem_1",
    "width_used",
    "width_used_as_played",
]
