"""Repeated Stackelberg games: commitments to mixed strategies, and followers who respond to them."""

from firstmover.games.entry import GameEntry, Template

ENTRIES = {
    "harbour": GameEntry(
        "repeated Stackelberg: share inspections among 3 quays while crews of 3 types land goods",
        build="firstmover.games.stackelberg.harbour_game:harbour_game",
        kernel="firstmover.games.stackelberg.priors:HARBOUR_KERNEL",
        behaviour="firstmover.games.stackelberg.opponents:harbour_behaviour",
        parameters="firstmover.games.stackelberg.parameters:HarbourParameters",
        templates=(
            Template("inspections", "shares of inspections; crews choose a quay where few are expected", __name__),
        ),
    ),
}
