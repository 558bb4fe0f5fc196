"""The arena: learners beside `auto` on fixed instances of games, with paired seeds, ranks, intervals and cost."""
