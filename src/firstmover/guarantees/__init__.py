"""The theory at work: bounds on regret, information gain, and whether boxes hold what they promise."""

from firstmover.guarantees.bounds import Premises, RegretBound, corollary_2, corollary_3, theorem_1
from firstmover.guarantees.coverage import Share, covered, held, responses_everywhere, width_used, width_used_as_played
from firstmover.guarantees.draws import KernelSum, random_response
from firstmover.guarantees.gain import GreedyGain, greedy_gain
from firstmover.guarantees.judgement import Judgement
from firstmover.guarantees.lipschitz import LipschitzEstimate, estimate_reward_lipschitz
from firstmover.guarantees.rates import Rate, rate_of
from firstmover.guarantees.reliability import Reliability, reliability, standard_errors
from firstmover.guarantees.replay import Believer, Replay
from firstmover.guarantees.split import RegretSplit, split_of

__all__ = [
    "Believer",
    "GreedyGain",
    "Judgement",
    "KernelSum",
    "LipschitzEstimate",
    "Premises",
    "Rate",
    "RegretBound",
    "RegretSplit",
    "Reliability",
    "Replay",
    "Share",
    "corollary_2",
    "corollary_3",
    "covered",
    "estimate_reward_lipschitz",
    "greedy_gain",
    "held",
    "random_response",
    "rate_of",
    "reliability",
    "responses_everywhere",
    "split_of",
    "standard_errors",
    "theorem_1",
    "width_used",
    "width_used_as_played",
]
