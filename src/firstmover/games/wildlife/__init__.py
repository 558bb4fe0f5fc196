"""Wildlife parks: patrols, and poachers who see them."""

from firstmover.games.entry import Demonstration, GameEntry, Template

_HERE = "firstmover.games.wildlife"
_PATROL = Template("patrol", "patrols of a park; poachers choose where to strike", _HERE)

ENTRIES = {
    "wildlife": GameEntry(
        "a park of 25 cells: commit to one of 525 patrols while poachers choose where to strike",
        build=f"{_HERE}.game:wildlife_game",
        kernel=f"{_HERE}.opponents:KERNEL",
        confidence_width=0.1,
        behaviour=f"{_HERE}.opponents:park_behaviour",
        words=f"{_HERE}.words:WORDS",
        map=f"{_HERE}.map:park_map",
        templates=(_PATROL,),
        demonstration=Demonstration(
            "park", f"{_HERE}.opponents:park_behaviour", _PATROL, {"confidence": {"width": 0.5}}
        ),
    ),
    "patrols": GameEntry(
        "the park's whole simplex: poachers see any mixture of the 25 cells and choose where to strike",
        build=f"{_HERE}.game:patrols_game",
        kernel=f"{_HERE}.opponents:KERNEL",
        confidence_width=0.1,
        behaviour=f"{_HERE}.opponents:commitment_behaviour",
    ),
}
