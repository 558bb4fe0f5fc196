"""Wildlife parks: patrols, and poachers who see them."""

from firstmover.games.entry import Demonstration, GameEntry, Template

_PATROL = Template("patrol", "patrols of a park; poachers choose where to strike", __name__)

ENTRIES = {
    "wildlife": GameEntry(
        "a park of 25 cells: commit to one of 525 patrols while poachers choose where to strike",
        build="firstmover.games.wildlife.game:wildlife_game",
        kernel="firstmover.games.wildlife.opponents:KERNEL",
        confidence_width=0.1,
        behaviour="firstmover.games.wildlife.opponents:park_behaviour",
        words="firstmover.games.wildlife.words:WORDS",
        map="firstmover.games.wildlife.map:park_map",
        templates=(_PATROL,),
        demonstration=Demonstration("park", "firstmover.games.wildlife.opponents:park_behaviour", _PATROL),
    ),
    "patrols": GameEntry(
        "the park's whole simplex: poachers see any mixture of the 25 cells and choose where to strike",
        build="firstmover.games.wildlife.game:patrols_game",
        kernel="firstmover.games.wildlife.opponents:KERNEL",
        confidence_width=0.1,
        behaviour="firstmover.games.wildlife.opponents:commitment_behaviour",
        words="firstmover.games.wildlife.words:CELL_WORDS",
    ),
}
