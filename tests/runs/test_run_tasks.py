import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from threadpoolctl import threadpool_info

from firstmover.core.errors import InvalidInput
from firstmover.games.toy.game import catch, shore_game
from firstmover.games.toy.opponents import raiders
from firstmover.runs import ExperimentSpec, Progress, as_markdown, plan_of, run_experiment, run_tasks, summarise

MakeSpec = Callable[..., ExperimentSpec]
THREAD_SETTINGS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def test_every_round_is_a_row_that_can_be_checked_by_hand(make_spec: MakeSpec) -> None:
    table = run_experiment(make_spec(learners=["uniform"], seeds=[4]))
    sites = shore_game().actions
    total, mine = np.zeros(24), 0.0
    for row in table.iter_rows(named=True):
        everyone = catch(sites) * (1 - raiders(sites, np.array(row["opponent_type"]))[:, 0])
        total, mine = total + everyone, mine + everyone[row["action"]]
        assert row["true_response_0"] == raiders(sites, np.array(row["opponent_type"]))[row["action"], 0]
        assert row["reward"] == pytest.approx(everyone[row["action"]], rel=1e-12)
        assert row["cumulative_regret"] == pytest.approx(total.max() - mine, abs=1e-12)
        assert row["time_averaged_regret"] == pytest.approx((total.max() - mine) / row["t"], abs=1e-12)
        assert row["best_action"] == np.argmax(total)
    assert table["t"].to_list() == list(range(1, 13))
    assert table["probability"].to_list() == [1 / 24] * 12
    assert table["entropy"].to_numpy() == pytest.approx(np.full(12, np.log(24)))
    assert (table["response_0"] - table["true_response_0"]).abs().min() > 0


def test_columns_and_their_types(make_spec: MakeSpec) -> None:
    table = run_experiment(make_spec(game="flock", seeds=1, learners=["fixed:3"]))
    assert table.schema == {
        "learner": pl.String,
        "seed": pl.Int64,
        "t": pl.Int64,
        "action": pl.Int64,
        "probability": pl.Float64,
        "opponent_type": pl.List(pl.Float64),
        "response_0": pl.Float64,
        "response_1": pl.Float64,
        "true_response_0": pl.Float64,
        "true_response_1": pl.Float64,
        "reward": pl.Float64,
        "cumulative_regret": pl.Float64,
        "time_averaged_regret": pl.Float64,
        "best_action": pl.Int64,
        "entropy": pl.Float64,
    }
    assert set(table["action"]) == {3}
    assert set(table["entropy"]) == {0.0}


def test_the_optimum_ends_without_regret(make_spec: MakeSpec) -> None:
    table = run_experiment(make_spec(learners=["optimum"], seeds=3, rounds=30))
    assert table.filter(t=30)["cumulative_regret"].to_numpy() == pytest.approx(np.zeros(3), abs=1e-12)


def test_two_learners_meet_the_same_types_and_noise(make_spec: MakeSpec) -> None:
    table = run_experiment(make_spec(learners=["hedge", "uniform"], seeds=1))
    hedge, uniform = table.partition_by("learner", maintain_order=True)
    assert hedge["opponent_type"].to_list() == uniform["opponent_type"].to_list()
    noise = [run["response_0"] - run["true_response_0"] for run in (hedge, uniform)]
    np.testing.assert_allclose(noise[0], noise[1], atol=1e-15)


def test_a_run_replays_exactly_and_the_number_of_workers_changes_nothing(make_spec: MakeSpec) -> None:
    spec = make_spec(learners=["stackelucb", "gp-mw", "optimum"], rounds=40)
    before = {name: os.environ.get(name) for name in THREAD_SETTINGS}
    seen: list[Progress] = []
    alone = run_experiment(spec, workers=1)
    assert alone.equals(run_experiment(spec, workers=1))
    assert alone.equals(run_experiment(spec, workers=2, watch=seen.append))
    assert [(each.done, each.total) for each in seen] == [(i, 6) for i in range(1, 7)]
    assert {name: os.environ.get(name) for name in THREAD_SETTINGS} == before


def test_workers_run_one_thread_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with pytest.raises(InvalidInput, match="threads: 1 1 1 1"):
        list(run_tasks([_Telling(), _Telling()], workers=2))  # type: ignore[list-item]
    assert os.environ["OPENBLAS_NUM_THREADS"] == "2"
    assert "MKL_NUM_THREADS" not in os.environ


def test_no_workers_are_refused(make_spec: MakeSpec) -> None:
    with pytest.raises(InvalidInput, match="workers is 0: give 1 or more"):
        run_tasks(plan_of(make_spec()).tasks, workers=0)


def test_a_refusal_inside_a_worker_arrives_as_it_is(make_spec: MakeSpec, tmp_path: Path) -> None:
    script = tmp_path / "types.csv"
    script.write_text("home\n0.1\n0.3\n")
    tasks = plan_of(make_spec(opponent=f"script:{script}")).tasks
    for workers in (1, 2):
        with pytest.raises(InvalidInput, match="types has 2 rows: round 3 needs one more"):
            list(run_tasks(tasks, workers=workers))


def test_a_task_alone_gives_its_part_of_the_experiment(make_spec: MakeSpec) -> None:
    spec = make_spec()
    tasks = plan_of(spec).tasks
    assert [(task.label, task.seed) for task in tasks] == [
        ("stackelucb", 0),
        ("stackelucb", 1),
        ("fixed-3", 0),
        ("fixed-3", 1),
    ]
    assert tasks[1].play().equals(run_experiment(spec).filter(learner="stackelucb", seed=1))


class _Telling:
    """Raises an error that states how many threads it was given."""

    label, seed, rounds = "telling", 0, 1

    def play(self) -> Any:
        settings = [os.environ[name] for name in THREAD_SETTINGS]
        pools = {pool["num_threads"] for pool in threadpool_info()}
        raise InvalidInput(f"threads: {' '.join([*settings, *map(str, pools)])}")


def test_dynamic_regret_is_kept_where_the_opponent_drifts(make_spec: MakeSpec) -> None:
    """Against the best of each round, on the blend of the first and the last raiders, and never below regret."""
    spec = make_spec(game="shore", opponent="drifting:6", rounds=9, seeds=2, learners=["fixed:3", "stackelucb"])
    table = run_experiment(spec)
    game = shore_game()
    share = np.minimum(np.arange(9) / 6, 1.0)[:, None]
    first, last = (raiders(game.actions, game.types[k]) for k in (0, -1))
    responses = [(1 - s) * first + s * last for s in share]
    rewards = np.array([game.reward(game.actions, y) for y in responses])
    fixed = table.filter(learner="fixed-3", seed=0)
    np.testing.assert_allclose(fixed["reward"], rewards[:, 3])
    np.testing.assert_allclose(fixed["dynamic_regret"], np.cumsum(rewards.max(axis=1) - rewards[:, 3]))
    assert (table["dynamic_regret"] >= table["cumulative_regret"] - 1e-9).all()
    assert fixed["opponent_type"].to_list() == [[game.types[0, 0]]] * 9
    summary = summarise(table)
    assert summary["dynamic_regret"][0] == pytest.approx(fixed["dynamic_regret"][-1])
    assert "dynamic regret" in as_markdown(summary)


def test_the_best_in_hindsight_of_a_drift_has_no_regret(make_spec: MakeSpec) -> None:
    spec = make_spec(game="prices", opponent="drifting:5", rounds=8, seeds=1, learners=["optimum"])
    assert run_experiment(spec)["cumulative_regret"][-1] == pytest.approx(0.0, abs=1e-12)


def test_full_information_is_refused_where_the_type_does_not_tell(make_spec: MakeSpec) -> None:
    with pytest.raises(InvalidInput, match=r"'drifting' changes from round to round.*: leave 'hedge' out"):
        run_experiment(make_spec(opponent="drifting", learners=["hedge"]))


def test_a_menu_that_grows_is_judged_with_all_its_members(make_spec: MakeSpec) -> None:
    spec = make_spec(game="harbour", opponent="cyclic", rounds=6, seeds=1, learners=["growing"])
    table = run_experiment(spec)
    assert "dynamic_regret" not in table.columns
    assert len(table) == 6
