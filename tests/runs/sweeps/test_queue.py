import pytest

from firstmover.runs.sweeps.queue import MOST, Costs, Queue
from firstmover.runs.sweeps.tasks import SweepTask


def tasks(count: int, family: str = "a", group: str | None = None, rounds: int = 10) -> list[SweepTask]:
    return [SweepTask(f'{{"{family}":{i}}}', rounds, family, group) for i in range(count)]


def known(seconds: float) -> Costs:
    """Costs by which a task of ten rounds of family a takes so long."""
    costs = Costs()
    costs.learn(tasks(1), seconds)
    return costs


def test_a_family_that_is_not_known_is_tried_with_one_task() -> None:
    queue = Queue(tasks(1000, "b"), 2, known(1e-6))
    assert len(queue.take()) == 1


@pytest.mark.parametrize(
    ("seconds", "group", "size"),
    [(1e-6, None, MOST), (0.01, None, 5), (0.049, None, 1), (3.0, None, 1), (0.1, "g", 10), (3.0, "g", 1)],
)
def test_a_batch_is_short_work(seconds: float, group: str | None, size: int) -> None:
    assert len(Queue(tasks(1000, group=group), 2, known(seconds)).take()) == size


def test_many_workers_get_longer_batches() -> None:
    assert [len(Queue(tasks(10**5), workers, known(0.0099)).take()) for workers in (2, 10, 100, 400)] == [5, 5, 50, 63]


def test_a_batch_leaves_enough_for_the_others() -> None:
    sizes = []
    queue = Queue(tasks(100), 2, known(0.004))
    while queue.tasks:
        sizes.append(len(queue.take()))
    assert sizes[0] == 12
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] <= 2
    assert sum(sizes) == 100


def test_next_to_nothing_is_not_divided() -> None:
    queue = Queue(tasks(150), 2, known(1e-6))
    assert [len(queue.take()), len(queue.take())] == [100, 50]


def test_a_batch_is_of_one_family_and_one_group() -> None:
    costs = known(1e-6)
    costs.learn(tasks(1, "b"), 1e-6)
    queue = Queue([*tasks(3), *tasks(3, "b"), *tasks(3, "b", "g"), *tasks(90, "b", "h")], 2, costs)
    assert [len(queue.take()) for _ in range(3)] == [3, 3, 3]


def test_the_time_left_counts_unknown_families_as_the_average() -> None:
    costs = known(2.0)
    costs.learn(tasks(1, "b", rounds=30), 2.0)
    assert costs.total({"a": 5, "b": 15}) == pytest.approx(1.0 + 1.0)
    assert costs.total({"c": 10}) == pytest.approx(1.0)
    assert Costs().total({"a": 5}) is None
