"""Rules of a decision: the floor by hand, blocks, the cost of changing, and what they refuse."""

from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import firstmover as fm
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback, Prediction
from firstmover.games import GAMES
from firstmover.learners import GPMW, Exp3
from firstmover.learners.auto import auto
from firstmover.learners.decision_rules import DecisionRules, Floor, PastRounds, changes, rounds_since_change
from firstmover.learners.mean_rewards import MeanRewards, Shares, mean_rewards, optimistic_means, type_shares
from firstmover.simulation import Cyclic, Opponent
from firstmover.simulation.loop import play_run

TYPES = np.array([[0.0], [1.0]])
GAME = Game(
    "two outputs",
    np.array([[1.0], [2.0], [3.0]]),
    fm.Monotone(lambda x, y: x[:, 0] * y[:, 0] - 2 * y[:, 1], (1, -1)),
    Box([-100.0, -100.0], [100.0, 100.0]),
    types=TYPES,
)
MEAN = np.array([[4.0, 1.0], [3.0, 0.5], [2.0, 0.0]])
STD = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])


@dataclass(frozen=True)
class Stated:
    """A belief, and a learner that decides by it: both are what they are told to be."""

    joint_share: Any = 1.0
    mean: Any = None
    p: Any = (0.2, 0.3, 0.5)
    rewards: Any = (0.0, 1.0, 2.0)

    @property
    def belief(self) -> "Stated":
        return self

    def predict(self, opponent_type: Any) -> Prediction:
        mean = MEAN if self.mean is None else np.asarray(self.mean)
        return Prediction(mean * (1 + opponent_type[0]), STD)

    @property
    def strategy(self) -> Any:
        return np.array(self.p)

    def optimistic(self, opponent_type: Any) -> Any:
        return np.array(self.rewards) * (1 + opponent_type[0])

    def observe(self, _: Feedback) -> "Stated":
        return self


def past(actions: Any, types: Any = TYPES) -> PastRounds:
    return PastRounds(actions, np.empty((len(actions), 0)), np.asarray(types))


class TestMeanRewards:
    def test_a_linear_reward_by_hand(self) -> None:
        """Types with shares 1/4 and 3/4: means are times 1.75; errors at types are common, those of outputs not."""
        found = mean_rewards(GAME, Stated(), Shares(TYPES, np.array([0.25, 0.75])))  # type: ignore[arg-type]
        assert found is not None
        assert found.mean == pytest.approx(1.75 * np.array([4 - 2, 6 - 1, 6.0]))
        std = np.hypot(GAME.actions[:, 0] * STD[:, 0], 2 * STD[:, 1])
        assert found.below == pytest.approx(std)
        assert found.above == pytest.approx(std)

    def test_errors_at_types_cancel_by_their_joint_share(self) -> None:
        shares = Shares(TYPES, np.array([0.5, 0.5]))
        whole, less = (mean_rewards(GAME, Stated(share), shares) for share in (1.0, np.full((3, 2), 0.25)))  # type: ignore[arg-type]
        assert whole is not None
        assert less is not None
        assert less.below == pytest.approx(0.25 * whole.below)
        assert less.mean == pytest.approx(whole.mean)

    def test_responses_stay_in_their_domain(self) -> None:
        """The second output lies at its upper bound, so that the reward cannot fall by it: only by the first."""
        game = replace(GAME, response_domain=Box([-100.0, -100.0], [100.0, 0.0]))
        found = mean_rewards(game, Stated(), Shares(TYPES[:1], np.ones(1)))  # type: ignore[arg-type]
        assert found is not None
        assert found.mean == pytest.approx([4.0, 6.0, 6.0])
        assert found.below == pytest.approx(GAME.actions[:, 0] * STD[:, 0])
        assert found.above == pytest.approx(np.hypot(GAME.actions[:, 0] * STD[:, 0], 2 * STD[:, 1]))

    def test_nothing_is_known_without_types_or_scale(self) -> None:
        assert mean_rewards(GAME, Stated(), type_shares(GAME, TYPES[:0])) is None  # type: ignore[arg-type]
        shore = GAMES["shore"].build()
        free = replace(shore, response_domain=Box([-np.inf], [np.inf]))
        learner = auto(free).observe(Feedback(0, free.types[0], np.array([0.5])))  # type: ignore[index]
        assert mean_rewards(free, learner.belief, type_shares(free, free.types)) is None  # type: ignore[attr-defined, arg-type]

    def test_the_joint_share_is_that_of_all_structures(self) -> None:
        game = GAMES["shore"].build()
        opponent = fm.opponent_for("shore", game, "random")
        learner = auto(game)
        run = play_run(game, opponent, learner, 12, seed=1)
        for i in range(12):
            learner = learner.observe(Feedback(int(run.actions[i]), run.opponent_types[i], run.responses[i]))
        belief = learner.belief  # type: ignore[attr-defined]
        weighted = belief.weighted(game.types[0])
        expected = sum(each.probability * each.joint for each in weighted)
        assert belief.joint_share == pytest.approx(expected)
        free = replace(game, response_domain=Box([-np.inf], [np.inf]))
        assert auto(free).belief.joint_share == 1.0  # type: ignore[attr-defined]

    def test_types_by_share_context_and_number(self) -> None:
        game = replace(GAME, types=None, context=(1,))
        types = np.column_stack([np.arange(40.0), np.arange(40.0) % 2])
        at = type_shares(game, types[:4], np.array([1.0]))
        assert at.types.tolist() == [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]]
        assert at.shares == pytest.approx([0.25] * 4)
        some = type_shares(game, types)
        assert len(some.types) == 10
        assert some.shares.sum() == pytest.approx(1.0)
        assert some.types[[0, -1], 0].tolist() == [0.0, 39.0]


class TestFloor:
    def test_the_risk_by_hand(self) -> None:
        """b = 10, floor 9.5: action 1 has 12 − 9.5 = 2.5 over √(1.5² + (0.95 · 2)²) standard deviations."""
        rewards = MeanRewards(np.array([10.0, 12.0, 9.0]), np.array([9.0, 1.5, 0.0]), np.array([2.0, 8.0, 8.0]))
        risks = Floor(0, 0.95).risks(rewards)
        normal = NormalDist()
        assert risks == pytest.approx([0.0, normal.cdf(-2.5 / np.hypot(1.5, 1.9)), normal.cdf(0.5 / 1.9)])

    def test_a_negative_baseline_has_a_floor_below_it(self) -> None:
        """b = −10, floor −10.5, which moves by 1.05 per unit of b."""
        rewards = MeanRewards(np.array([-10.0, -9.0]), np.array([0.0, 1.0]), np.array([2.0, 0.0]))
        assert Floor(0).of(-10.0) == -10.5
        assert Floor(0).risks(rewards)[1] == pytest.approx(NormalDist().cdf(-1.5 / np.hypot(1.0, 2.1)))

    def test_certain_rewards_have_no_risk_or_all(self) -> None:
        rewards = MeanRewards(np.array([10.0, 9.5, 9.4]), np.zeros(3), np.zeros(3))
        assert Floor(0).risks(rewards).tolist() == [0.0, 0.0, 1.0]

    @pytest.mark.parametrize(("trials", "rounds", "all_allowed"), [(1, 0, True), (2, 0, False), (2, 19, True)])
    def test_trials_are_a_share_of_the_rounds_and_two(self, trials: int, rounds: int, all_allowed: bool) -> None:
        """After 19 rounds the 20th pays for one trial, of 0.05 each, beside the two of the start."""
        risks = np.array([0.0, 0.05, 0.06])
        assert Floor(0).permitted(risks, trials, rounds).tolist() == [True, True, all_allowed]
        assert Floor(0, tolerance=0.0).permitted(risks, 0, rounds).tolist() == [True, True, False]

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"at_least": 1.2}, "at_least is 1.2: give a share from 0 to 1."),
            ({"tolerance": -0.1}, "tolerance is -0.1: give a share from 0 to 1."),
            ({"confidence": 1.0}, "confidence is 1.0: give a probability from 0.5 to below 1."),
            ({"baseline": 0.5}, "baseline is 0.5: give a whole number."),
        ],
    )
    def test_it_refuses(self, values: dict[str, Any], message: str) -> None:
        with pytest.raises(InvalidInput, match=message):
            Floor(**{"baseline": 0} | values)

    def test_only_the_baseline_before_anything_is_known(self) -> None:
        rules = DecisionRules(Floor(1))
        assert rules.strategy(Stated(), GAME, past([], TYPES[:0])).tolist() == [0.0, 1.0, 0.0]  # type: ignore[arg-type]
        closed = np.array([True, False, True])
        opened = rules.strategy(Stated(), GAME, past([], TYPES[:0]), None, closed)  # type: ignore[arg-type]
        assert opened == pytest.approx([2 / 7, 0.0, 5 / 7]), "the baseline is closed: there is no way back"

    def test_safe_actions_and_trials(self) -> None:
        """Means over both types are 3, 7.5 and 9, so that action 0 is not safe with the baseline 1, and 2 is."""
        rules = DecisionRules(Floor(1))
        learner: Any = Stated()
        risks = rules.risks(learner, GAME, past([1, 1]), None)
        assert risks is not None
        assert Floor(1).safe(risks).tolist() == [False, True, False]
        strict = DecisionRules(Floor(1, 0.5))
        safe = strict.risks(learner, GAME, past([1]), None)
        assert safe is not None
        assert strict.trials(learner, GAME, past([0, 1, 2, 0])).tolist() == [True, False, False, True]
        tried = strict.strategy(learner, GAME, past([0, 1, 2, 0]))
        assert tried == pytest.approx([0.0, 0.375, 0.625]), "two trials, and no more before round 20"
        assert strict.strategy(learner, GAME, past([0, 1, 2])) == pytest.approx([0.2, 0.3, 0.5])
        assert strict.strategy(learner, GAME, past([0, *[1] * 17, 0])) == pytest.approx([0.2, 0.3, 0.5])
        assert strict.strategy(learner, GAME, past([0, *[1] * 16, 0])) == pytest.approx([0.0, 0.375, 0.625])

    def test_the_least_risk_where_the_baseline_is_closed(self) -> None:
        rules = DecisionRules(Floor(2, 1.0, tolerance=0.0))
        allowed = np.array([True, True, False])
        assert rules.strategy(Stated(), GAME, past([2]), None, allowed).tolist() == [0.0, 1.0, 0.0]  # type: ignore[arg-type]

    def test_a_round_is_judged_in_its_own_context(self) -> None:
        """Rewards of the first context have another sign: what is safe there is a trial in the second."""
        game = replace(GAME, types=None, context=(0,))
        rules = DecisionRules(Floor(0, 0.5))
        learner: Any = Stated(mean=np.array([[1.0, 0.0], [0.2, 0.0], [1.0, 0.0]]))
        learner = replace(learner, joint_share=1e-6)
        contexts = np.array([[-3.0], [1.0], [1.0]])
        seen = PastRounds([1, 1, 2], contexts, contexts)
        assert rules.trials(learner, game, seen).tolist() == [False, True, False]
        many = np.arange(13.0)[:, None]
        assert rules.trials(learner, game, PastRounds([1] * 13, many, many)).tolist() == [True] * 13

    def test_the_mask_is_not_told_to_the_learner(self) -> None:
        game = GAMES["shore"].build()
        told = []

        @dataclass(frozen=True)
        class Listening:
            inner: Any

            @property
            def belief(self) -> Any:
                return self.inner.belief

            @property
            def strategy(self) -> Any:
                return self.inner.strategy

            def decide(self, context: Any, allowed: Any) -> Any:
                return self.inner.decide(context, allowed)

            def observe(self, feedback: Feedback) -> "Listening":
                told.append(feedback.allowed)
                return Listening(self.inner.observe(feedback))

        opponent = fm.opponent_for("shore", game, "random")
        run = play_run(game, opponent, Listening(auto(game)), 6, 3, rules=DecisionRules(Floor(2)))
        assert told == [None] * 5
        assert run.actions[0] == 2

    @pytest.mark.slow
    def test_a_floor_keeps_most_rounds_above_it(self) -> None:
        """Four seeds of a kiosk whose baseline earns 6.8 and the best price 8.9, 60 rounds each.

        Trials are at most 5 % of the rounds and two. The least of the four earned 7.4 per round when this was written.
        """
        prices = np.arange(1.0, 9.0)[:, None]
        reward = fm.increasing(lambda x, y: x[:, 0] * y[:, 0])
        game = Game("kiosk", prices, reward, Box([0.0], [10.0]), types=np.array([[2.0], [3.0]]))
        rewards = np.mean([prices[:, 0] * 10 * np.exp(-prices[:, 0] / kind) for kind in (2.0, 3.0)], axis=0)
        opponent = Opponent(Cyclic(game.types), lambda x, kind: 10 * np.exp(-x / kind), noise_std=0.2)
        for seed in range(4):
            run = play_run(game, opponent, auto(game), 60, seed, rules=DecisionRules(Floor(4)))
            assert np.sum(rewards[run.actions] < 0.95 * rewards[4]) <= 0.05 * 60 + 2
            assert rewards[run.actions].mean() > 1.05 * rewards[4]


class TestHold:
    def test_blocks(self) -> None:
        game = GAMES["shore"].build()
        opponent = fm.opponent_for("shore", game, "random")
        run = play_run(game, opponent, auto(game), 23, 5, rules=DecisionRules(hold=4))
        for start in range(0, 23, 4):
            assert len(set(run.actions[start : start + 4].tolist())) == 1
            assert run.strategies[start + 1 : start + 4].max(axis=1).tolist() == [1.0] * len(
                run.actions[start + 1 : start + 4]
            )
        assert len(set(run.actions.tolist())) > 1
        assert changes(run.actions.tolist())[np.arange(23) % 4 > 0].sum() == 0

    def test_a_closed_action_ends_the_block(self) -> None:
        rules, learner = DecisionRules(hold=4), Stated()
        assert rules.strategy(learner, GAME, past([2])).tolist() == [0.0, 0.0, 1.0]  # type: ignore[arg-type]
        closed = rules.strategy(learner, GAME, past([2]), None, np.array([True, True, False]))  # type: ignore[arg-type]
        assert closed == pytest.approx([0.4, 0.6, 0.0])
        assert rules.strategy(learner, GAME, past([2, 1])).tolist() == [0.0, 1.0, 0.0]  # type: ignore[arg-type]
        assert rules.strategy(learner, GAME, past([2, 1, 1, 1])) == pytest.approx([0.2, 0.3, 0.5])  # type: ignore[arg-type]


class TestDecidingRule:
    """The learner's own p_t is (0.2, 0.3, 0.5); r̃ over both types is 0, 1.5 and 3."""

    @pytest.mark.parametrize(
        ("rules", "actions", "rule"),
        [
            (DecisionRules(), [0], None),
            (DecisionRules(hold=4), [2], "hold"),
            (DecisionRules(hold=4), [2, 1, 1, 1], None),
            (DecisionRules(change_cost=3 * 1.95), [1, 0, 0], "change_cost"),
            (DecisionRules(change_cost=3 * 1.95), [1, 0, 0, 0], None),
            (DecisionRules(Floor(1, 0.5)), [0, 1, 2, 0], "floor"),
            (DecisionRules(Floor(1, 0.5)), [0, 1, 2], None),
            (DecisionRules(Floor(1, 0.5), hold=3), [0, 0, 1, 0], "floor"),
            (DecisionRules(Floor(1, 0.5), hold=3), [0, 0, 1, 1], "hold"),
        ],
    )
    def test_by_hand(self, rules: DecisionRules, actions: list[int], rule: str | None) -> None:
        assert rules.deciding_rule(Stated(), GAME, past(actions)) == rule  # type: ignore[arg-type]

    def test_a_rule_that_keeps_the_learner_s_own_choice_did_not_decide(self) -> None:
        sure: Any = Stated(p=(0.0, 0.0, 1.0))
        assert DecisionRules(hold=4).deciding_rule(sure, GAME, past([2])) is None


class TestChangeCost:
    def test_a_change_is_made_once_the_rounds_would_have_paid(self) -> None:
        """r̃ over both types is 0, 1.5 and 3, so that p_t gains 0.3 · 1.5 + 0.5 · 3 = 1.95 over action 0 per round."""
        learner: Any = Stated()
        assert optimistic_means(learner, GAME, type_shares(GAME, TYPES)) == pytest.approx([0.0, 1.5, 3.0])
        rules = DecisionRules(change_cost=3 * 1.95)
        kept = [1.0, 0.0, 0.0]
        assert rules.strategy(learner, GAME, past([1, 0, 0])).tolist() == kept
        assert rules.strategy(learner, GAME, past([1, 0, 0, 0])) == pytest.approx([0.2, 0.3, 0.5])
        assert replace(rules, change_cost=5.86).strategy(learner, GAME, past([1, 0, 0, 0])).tolist() == kept
        assert rules.strategy(learner, GAME, past([2] * 50)).tolist() == [0.0, 0.0, 1.0], "p_t is worth less"
        assert rules.strategy(learner, GAME, past([0], TYPES[:0])).tolist() == kept, "no type is known"

    def test_the_first_round_and_closed_actions_are_free_to_change(self) -> None:
        rules, learner = DecisionRules(change_cost=100.0), Stated()
        assert rules.strategy(learner, GAME, past([], TYPES[:0])) == pytest.approx([0.2, 0.3, 0.5])  # type: ignore[arg-type]
        mask = np.array([False, True, True])
        assert rules.strategy(learner, GAME, past([0]), None, mask) == pytest.approx([0.0, 0.375, 0.625])  # type: ignore[arg-type]

    def test_rewards_contain_the_cost(self) -> None:
        game = replace(GAMES["shore"].build())
        opponent = fm.opponent_for("shore", game, "random")
        run = play_run(game, opponent, auto(game), 40, 2, rules=DecisionRules(change_cost=0.05))
        plain = game.reward(game.actions[run.actions], run.true_responses)
        changed = [a != b for a, b in pairwise(run.actions.tolist())]
        assert 0 < sum(changed) < 39
        assert plain - run.rewards == pytest.approx(0.05 * np.array([False, *changed]))
        again = play_run(game, opponent, auto(game), 40, 2, rules=DecisionRules(change_cost=0.05))
        assert np.array_equal(run.actions, again.actions)

    def test_learners_of_a_stated_kernel_have_optimistic_rewards_too(self) -> None:
        shore = GAMES["shore"]
        game = shore.build()
        learner = fm.StackelUCB.start(game, shore.kernel, shore.regularization, 1.0)
        rewards = optimistic_means(learner, game, type_shares(game, game.types))  # type: ignore[arg-type]
        assert rewards.shape == (game.n_actions,)
        opponent = Opponent(Cyclic(game.types), fm.opponent_for("shore", game, "random").respond)
        for rules in (DecisionRules(change_cost=0.1), DecisionRules(Floor(3))):
            run = play_run(game, opponent, learner, 12, 0, rules=rules)
            assert len(run.rewards) == 12

    def test_counts(self) -> None:
        assert [rounds_since_change(actions) for actions in ([1], [1, 2], [2, 2, 2], [1, 2, 2])] == [1, 1, 3, 2]
        assert changes([]).tolist() == []
        assert changes([1, 1, 2, 1]).tolist() == [False, False, True, True]


class TestRefusals:
    def test_values(self) -> None:
        with pytest.raises(InvalidInput, match="hold is 0: give 1 or more"):
            DecisionRules(hold=0)
        with pytest.raises(InvalidInput, match=r"change_cost is -1.0: give a finite number, 0 or more"):
            DecisionRules(change_cost=-1.0)

    def test_a_learner_without_a_belief_about_responses(self) -> None:
        shore = GAMES["shore"]
        game = shore.build()
        opponent = fm.opponent_for("shore", game, "random")
        setup = fm.Setup(game, shore.kernel, shore.regularization, fm.ConstantWidth(1.0), horizon=10)
        for name in ("exp3", "gp-mw"):
            learner = fm.LEARNERS[name].build(setup)
            assert isinstance(learner, Exp3 | GPMW)
            for rules in (DecisionRules(Floor(0)), DecisionRules(change_cost=1.0)):
                with pytest.raises(
                    InvalidInput, match=r"has no belief about responses, which floor and change_cost need"
                ):
                    play_run(game, opponent, learner, 2, 0, rules=rules)
            assert len(play_run(game, opponent, learner, 5, 0, rules=DecisionRules(hold=2)).rewards) == 5

    def test_a_reward_without_its_minimum(self) -> None:
        class Half:
            def __call__(self, actions: Any, responses: Any) -> Any:
                return actions[:, 0] * responses[:, 0]

            def best_in_box(self, actions: Any, box: Box) -> Any:
                return actions[:, 0] * box.upper[:, 0]

        game = replace(GAMES["shore"].build(), reward=Half(), reward_range=None)
        opponent = fm.opponent_for("shore", game, "random")
        assert len(play_run(game, opponent, auto(game), 3, 0, rules=DecisionRules(change_cost=0.1)).rewards) == 3
        with pytest.raises(InvalidInput, match="has no method worst_in_box, which a floor needs: add it, or leave the"):
            play_run(game, opponent, auto(game), 3, 0, rules=DecisionRules(Floor(0)))

    def test_a_baseline_outside_of_the_menu(self) -> None:
        game = GAMES["shore"].build()
        with pytest.raises(InvalidInput, match="baseline is 24: give an index from 0 to 23"):
            DecisionRules(Floor(24)).check(auto(game), game)

    def test_a_menu_that_grows(self) -> None:
        @dataclass(frozen=True)
        class Growing(Stated):
            @property
            def grown(self) -> Game:
                return GAME

        for rules in (DecisionRules(Floor(0)), DecisionRules(change_cost=1.0)):
            with pytest.raises(
                InvalidInput, match="learner Growing adds actions to the menu: leave floor and change_cost"
            ):
                rules.check(Growing(), GAME)  # type: ignore[arg-type]
        DecisionRules(hold=2).check(Growing(), GAME)  # type: ignore[arg-type]
