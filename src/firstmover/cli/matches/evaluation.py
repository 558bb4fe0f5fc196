"""firstmover match evaluate."""

from typing import Annotated

import typer

from firstmover.cli.matches.options import STORE, AsJson, Name, Store, answer, table


def _repeated(metavar: str, words: str) -> typer.models.OptionInfo:
    return typer.Option(metavar=metavar, help=f"{words}; repeat it.", show_default=False)


def evaluate(  # noqa: PLR0917 - one parameter per option
    name: Name,
    action: Annotated[list[str] | None, _repeated("ACTION", "A fixed action")] = None,
    all_actions: Annotated[bool, typer.Option("--all-actions", help="Every fixed action.")] = False,
    policy: Annotated[list[str] | None, _repeated("NAME", "played, present or uniform")] = None,
    by: Annotated[
        list[str] | None,
        _repeated("CONTEXT:LEVEL=ACTION,…", "An action for each level of a context, such as weekday:mon=2.60,sun=3.00"),
    ] = None,
    learner: Annotated[
        list[str] | None, _repeated("LEARNER", "Another learner, simulated against opponents of the fitted model")
    ] = None,
    reward: Annotated[
        str | None,
        typer.Option(
            metavar="SENTENCE", help="Another reward, such as 'price * sold - 0.9 * sold'.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the draws.")] = 0,
    store: Store = STORE,
    as_json: AsJson = False,
) -> None:
    """Print what other policies would have earned in the told rounds; by default, every fixed action."""
    from firstmover.core.errors import unknown_name
    from firstmover.matches import Match
    from firstmover.matches.policies import NAMED, PLAYED

    asked = any((action, policy, by, learner))
    for each in policy or ():
        if each not in NAMED:
            raise unknown_name("policy", each, NAMED)
    with Match.open(store, name) as opened:
        labels = opened.setting.menu.labels
        fixed = [*(action or ()), *(labels if all_actions or not asked else ())]
        policies: dict[str, object] = {each: each for each in dict.fromkeys([PLAYED, *(policy or ()), *fixed])}
        found = opened.evaluate(
            policies | {text: _by_context(text) for text in by or ()},
            learners=learner or (),
            reward=reward,
            seed=seed,
        )
    answer(as_json, found.as_dict(), *found.lines(), table([each.row() for each in found.policies]))


def _by_context(text: str) -> dict[str, dict[str, str]]:
    """The actions by levels of a context.

    >>> _by_context("weekday:mon=2.60, sun=3.00")
    {'weekday': {'mon': '2.60', 'sun': '3.00'}}
    """
    from firstmover.core.errors import InvalidInput

    context, colon, actions = text.partition(":")
    pairs = [part.partition("=") for part in actions.split(",")]
    if not colon or not all(equals for _, equals, _ in pairs):
        raise InvalidInput(f"--by is {text!r}: give a context and the action at each level, as in weekday:mon=2.60.")
    return {context.strip(): {level.strip(): action.strip() for level, _, action in pairs}}
