from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from firstmover.games.routing.network import sioux_falls
from firstmover.paper.claims import Finding, Lead, finding, verdict_of
from firstmover.paper.preset import Preset
from firstmover.paper.results import Congestion, Results
from firstmover.paper.routing import RoutingPreset
from firstmover.paper.tables import (
    congestion_table,
    exploration,
    outside,
    references_table,
    routing_table,
    wildlife_table,
)
from firstmover.paper.wildlife import WildlifePreset
from firstmover.runs import Manifest

ROUNDS = 100


def results(preset: Preset, kind: str, runs: dict[str, list[dict[str, float | list[int]]]], **notes: object) -> Results:
    """Runs of 100 rounds in which the reward, the regret and, unless it is a list, the action stay the same."""
    tables = [
        pl.DataFrame(
            {
                "learner": label, "seed": seed, "t": range(1, ROUNDS + 1), "action": run.get("action", 0),
                "reward": run["reward"], "time_averaged_regret": run.get("regret", 0.0),
            }
        )
        for label, seeds in runs.items()
        for seed, run in enumerate(seeds)
    ]  # fmt: skip
    seeds = tuple(range(len(next(iter(runs.values())))))
    return Results(Manifest(kind, "by hand", preset.stored(), tuple(runs), seeds, ROUNDS, notes), pl.concat(tables))


def routing(regret: float = 20.0, average: tuple[float, ...] = (15.97, 1.03, 3.51), **rewards: float) -> Results:
    """Two runs a learner; ours with this regret, give or take 1."""
    each = {"Hedge": 261.4, "StackelUCB poly3": 253.3, "Exp3": 198.0, "shortest": 216.45, "none": -8.13}
    each |= {name.replace("_", " "): value for name, value in rewards.items()}
    regrets = {"Hedge": 15.0, "StackelUCB poly3": regret, "Exp3": 80.0, "shortest": 62.0, "none": 287.0}
    runs = {
        name: [{"reward": reward, "regret": regrets[name] + spread} for spread in (-0.1, 0.1)]
        for name, reward in each.items()
    }
    kept = np.stack([np.array(average) - 1, np.array(average) + 1], axis=1)
    congestion = Congestion(
        sioux_falls(), ("shortest", "none", "StackelUCB poly3"), np.zeros((3, 76)), np.array(average), kept
    )
    played = results(RoutingPreset.load("paper"), "routing", runs)
    vars(played)["congestion"] = congestion  # in place of the computed one
    return played


@pytest.mark.parametrize(
    ("holds", "verdict", "scope"),
    [
        ({"paper": True, "released": True}, "reproduces", ""),
        ({"paper": False, "released": True}, "reproduces only under a reading", " (released)"),
        ({"paper": True, "released": False}, "reproduces only under a reading", " (paper)"),
        ({"paper": False, "released": False}, "does not reproduce", ""),
        ({"paper": True}, "reproduces", " (preset paper, the only one played)"),
        ({"released": False}, "does not reproduce", " (preset released, the only one played)"),
    ],
)
def test_the_verdict_follows_from_the_findings(holds: dict[str, bool], verdict: str, scope: str) -> None:
    claim = verdict_of("title", "quote", {reading: Finding(held, "words") for reading, held in holds.items()})
    assert (claim.title, claim.quote) == ("title", "quote")
    assert claim.words == f"{verdict}{scope}"
    assert claim.findings == tuple((f"Preset {reading}", "words") for reading in holds)


def test_a_lead_is_certain_when_its_interval_leaves_out_zero() -> None:
    # Differences 1 and 3: mean 2, s = √2, t_{0.975, 1} = 12.706, half-width 12.706 · √2 / √2.
    wide = Lead.of(np.array([2.0, 4.0]), np.array([1.0, 1.0]))
    assert (wide.mean, wide.runs_ahead, wide.runs) == (2.0, 2, 2)
    assert wide.half_width == pytest.approx(12.706, rel=1e-4)
    assert not wide.certain
    assert Lead.of(np.array([2.0, 2.1]), np.array([1.0, 1.0])).certain
    assert not Lead.of(np.array([1.0, 1.0]), np.array([2.0, 2.1])).certain
    alone = Lead.of(np.array([2.0]), np.array([1.0]))
    assert alone.certain
    assert alone.words(1) == "1.0 in one run"


def test_smaller_regret() -> None:
    found = finding("smaller_regret", routing())
    assert found.holds
    assert "StackelUCB poly3 20.0, Exp3 80.0, shortest 62.0, none 287.0" in found.words
    assert "over shortest: 42.0 ± 0.0, on 2 of 2 seeds" in found.words
    assert not finding("smaller_regret", routing(regret=62.5)).holds


def test_share_of_hedge() -> None:
    found = finding("near_hedge", routing())
    assert found.holds
    assert "96.9 % (StackelUCB poly3) of the 26,140" in found.words
    assert not finding("near_hedge", routing(StackelUCB_poly3=248.0)).holds  # 94.9 %


def test_the_table_of_figure_1() -> None:
    assert finding("table_congestion", routing()).holds
    proper = finding("table_congestion", routing(average=(8.36, 0.81, 3.6)))
    assert not proper.holds
    assert "between 7.36 and 9.36" in proper.words
    assert finding("table_rewards", routing()).holds
    assert "shortest by +355 (equivalent)" in finding("table_rewards", routing(shortest=220.0)).words
    # The margin is a tenth of 25,330.5 − 21,645.4.
    assert finding("table_rewards", routing(shortest=220.13)).holds
    assert not finding("table_rewards", routing(shortest=220.14)).holds
    assert "shortest by +369 (different)" in finding("table_rewards", routing(shortest=220.14)).words
    assert "none by -407 (different)" in finding("table_rewards", routing(none=-12.2)).words
    assert finding("better_than_fixed", routing()).holds
    assert not finding("better_than_fixed", routing(average=(3.0, 1.0, 3.5))).holds
    assert not finding("better_than_fixed", routing(shortest=260.0)).holds


def test_tables_of_routing_stand_beside_the_published() -> None:
    table = routing_table(routing())
    assert table.row(0)[:3] == ("Hedge", "15.0 ± 1.3", "17.4")
    assert table["published total"][1] == "25330.5"
    assert table["difference"][1] == "0.0 %"
    assert routing_table(routing(none=-12.2))["difference"][-1] == "-50.0 %"
    shown = congestion_table(routing(average=(8.36, 0.81, 3.6)))
    assert shown["shortest"].to_list() == ["8.36", "15.97", "8.36", "21,645.0", "21,645.4"]


def wildlife(held: int, offline: float = -0.05, optimum: float = 0.05004, **rewards: float) -> Results:
    """Three runs at each β; ours plays the best patrol, 7, from round `held` on."""
    preset = WildlifePreset.load("released")
    earned = {"ours 0.1": 0.01, "ours 0.2": 0.01, "ours 1": -0.04, "GP-UCB 3": -0.01}
    earned |= {name.replace("_", " "): value for name, value in rewards.items()}
    late = [1] * (held - 1) + [7] * (ROUNDS + 1 - held)
    actions = {"ours 0.1": late, "ours 0.2": late, "ours 1": [1] * ROUNDS, "GP-UCB 3": [1] * ROUNDS}
    runs = {
        label: [{"reward": reward + spread, "action": actions[label]} for spread in (-0.001, 0.0, 0.001)]
        for label, reward in earned.items()
    }
    preset = preset.model_copy(update={"widths": (0.1, 0.2, 1.0), "reward_widths": (3.0,)})
    notes = {"optimum": optimum, "optimal_action": 7, "max_min": -0.043, "best_offline": [offline] * 3}
    return results(preset, "wildlife", runs, **notes)


def varied(shown: list[int], other: list[int], **rewards: list[float]) -> Results:
    """Three different runs at each β: ours holds the best patrol from these rounds on, at the β shown and another."""
    held = {"ours 0.1": shown, "ours 0.2": other, "ours 1": [101] * 3, "GP-UCB 1": [101] * 3, "GP-UCB 3": [101] * 3}
    earned = {label: [0.01, 0.011, 0.012] for label in held}
    earned |= {name.replace("_", " "): values for name, values in rewards.items()}
    runs = {
        label: [
            {"reward": reward, "action": [1] * (first - 1) + [7] * (ROUNDS + 1 - first)}
            for reward, first in zip(earned[label], held[label], strict=True)
        ]
        for label in held
    }
    fields = {"widths": (0.1, 0.2, 1.0), "reward_widths": (1.0, 3.0)}
    notes = {"optimum": 0.05004, "optimal_action": 7, "max_min": -0.043, "best_offline": [-0.05] * 3}
    return results(WildlifePreset.load("released").model_copy(update=fields), "wildlife", runs, **notes)


def test_verdicts_on_the_park_follow_the_median_run() -> None:
    """Rounds up to 65 count as about 60."""
    for check in ("optimal_soon", "insensitive"):
        assert finding(check, varied([56, 60, 40], [60] * 3)).holds
        assert finding(check, varied([50, 60, 101], [60] * 3)).holds  # the worst run and the mean are late
        assert not finding(check, varied([10, 70, 70], [60] * 3)).holds  # the best run and the mean are in time
    assert finding("optimal_soon", varied([60] * 3, [70, 70, 10])).holds
    assert not finding("insensitive", varied([60] * 3, [70, 70, 10])).holds  # each small β counts, not any
    assert "the best patrol is held: 60; 1 of 3 runs" in finding("optimal_soon", varied([50, 60, 101], [60] * 3)).words


def test_gp_ucb_is_taken_at_its_best_width() -> None:
    ahead = [0.011, 0.0121, 0.0129]
    for better, worse in (("GP-UCB_1", "GP-UCB_3"), ("GP-UCB_3", "GP-UCB_1")):
        behind = varied([60] * 3, [60] * 3, **{better: ahead, worse: [-0.02] * 3})
        found = finding("ahead_of_gp_ucb", behind)
        assert not found.holds
        assert f"β = {better[-1]}" in found.words
    assert finding(
        "ahead_of_gp_ucb", varied([60] * 3, [60] * 3, **{"GP-UCB_1": [0.0] * 3, "GP-UCB_3": [-0.02] * 3})
    ).holds


def test_the_best_patrol_in_about_60_rounds() -> None:
    assert finding("optimal_soon", wildlife(60)).holds
    assert (
        "the median round from which the best patrol is held: 60; 0 of 3 runs never hold it to the end"
        in finding("optimal_soon", wildlife(60)).words
    )
    assert finding("optimal_soon", wildlife(65)).holds
    assert not finding("optimal_soon", wildlife(66)).holds
    assert "0 of 3 runs never hold it" in finding("optimal_soon", wildlife(100)).words  # the last round is one
    assert "from which the best patrol is held: never; 3 of 3 runs" in finding("optimal_soon", wildlife(101)).words


def test_ahead_of_the_baselines_of_the_park() -> None:
    found = finding("ahead_of_baselines", wildlife(60))
    assert found.holds
    assert "Over all rounds ours earns 0.0100 per round" in found.words
    assert not finding("ahead_of_baselines", wildlife(60, offline=0.02)).holds
    assert finding("ahead_of_gp_ucb", wildlife(60)).holds
    assert not finding("ahead_of_gp_ucb", wildlife(60, **{"GP-UCB_3": 0.02})).holds


def test_any_small_width() -> None:
    found = finding("insensitive", wildlife(60))
    assert found.holds
    assert "held: 60 at β = 0.1, 60 at β = 0.2; for larger β: never at β = 1." in found.words
    assert finding("insensitive", wildlife(65)).holds
    assert not finding("insensitive", wildlife(66)).holds
    assert "held: never at β = 0.1, never at β = 0.2;" in finding("insensitive", wildlife(101)).words


def spread(played: Results, label: str, by: float) -> Results:
    """The results with total rewards of one learner that lie this far below and above their mean."""
    shift = (2 * pl.col("seed") - 1) * by / ROUNDS
    reward = pl.when(learner=label).then(pl.col("reward") + shift).otherwise("reward")
    changed = replace(played, table=played.table.with_columns(reward=reward))
    vars(changed)["congestion"] = played.congestion
    return changed


def test_a_wide_interval_settles_nothing() -> None:
    """Two runs: the 90 % interval is mean ± 6.314 · spread, which counts against an equivalence and not for it."""
    exact = routing(shortest=216.454)
    inside, outside = spread(exact, "shortest", 58.3), spread(exact, "shortest", 58.4)  # 368.1 and 368.7 of 368.51
    assert finding("table_rewards", inside).holds is True
    assert finding("table_rewards", outside).holds is None
    assert "shortest by -0 (not settled)" in finding("table_rewards", outside).words.replace("+0", "-0")
    assert finding("table_rewards", spread(routing(none=-12.2), "shortest", 100.0)).holds is False  # none differs
    far = spread(routing(shortest=230.0), "shortest", 100.0)  # 1,354.6 away, ± 631: outside of the margin
    assert finding("table_rewards", far).holds is False


def test_what_runs_do_not_settle_is_said() -> None:
    def words(**holds: bool | None) -> tuple[str, str]:
        claim = verdict_of("t", "q", {reading: Finding(held, "") for reading, held in holds.items()})
        return claim.kind, claim.words

    assert words(paper=None, released=None) == ("partly", "is not settled by these runs")
    open_ = "not settled by these runs under paper"
    assert words(paper=None, released=True) == ("partly", f"reproduces only under a reading (released; {open_})")
    assert words(paper=None, released=False) == ("fails", f"does not reproduce ({open_})")


def test_published_figures_outside_our_intervals_are_named() -> None:
    # Three runs 0.1 apart in total: the half-width is 4.303 · 0.1 / √3 = 0.248.
    said = outside(wildlife(60))
    assert "Of 5 published figures of rewards, themselves means over 10 runs, 5 lie outside" in said
    assert "ours 0.1 (published 0.267, here 1.00 ± 0.25)" in said
    assert "Best-offline (published -0.0252, here -0.05" in said
    near = {"ours_0.1": 0.0025, "ours_0.2": 0.0, "ours_1": -0.0435, "GP-UCB_3": -0.0137}
    assert "GP-UCB 3" not in outside(wildlife(60, **near))
    assert "rewards cannot be compared" in outside(wildlife(60, optimum=-0.4))


def test_exp3_explores_almost_all_the_time() -> None:
    played = routing()
    noted = replace(played.manifest, notes={"reward_range": [-500.0, 300.0]})
    # √(41 log 41 / ((e − 1) · 100)) = √(152.26 / 171.83).
    said = exploration(replace(played, manifest=noted))
    assert "K = 41 plans and T = 100 rounds" in said
    assert "is 0.94: it draws 94 % of its plans uniformly" in said


def test_a_verdict_of_one_run_says_so() -> None:
    once = verdict_of("t", "q", {"paper": Finding(True, "")}, ("paper",))
    assert once.words == "reproduces (preset paper, the only one played; one run)"
    both = {"paper": Finding(True, ""), "released": Finding(True, "")}
    assert verdict_of("t", "q", both, ("paper", "released")).words == "reproduces (one run)"
    assert verdict_of("t", "q", both, ("released",)).words == "reproduces (one run of released)"


def test_tables_of_the_park_stand_beside_the_published() -> None:
    table = wildlife_table(wildlife(60))
    assert table.row(0) == ("ours 0.1", "1.00 ± 0.25", "0.27", "60", "56.5", "0 %")
    assert table["never held"].to_list() == ["0 %", "0 %", "100 %", "100 %"]
    assert set(wildlife_table(wildlife(60, optimum=-0.4))["published total"]) == {"–"}
    assert references_table(wildlife(60))["published"].to_list() == ["0.05004", "-0.04262", "-0.02518"]
