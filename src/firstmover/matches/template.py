"""Match configurations to begin with, which the entries of the games offer."""

from firstmover.core.errors import look_up
from firstmover.games import GAMES, Template


def templates() -> dict[str, Template]:
    """Return the templates of all games by name."""
    return {template.name: template for entry in GAMES.values() for template in entry.templates}


def template(name: str) -> str:
    """Return the commented TOML of a template, which is valid as it is."""
    return look_up("template", name, templates()).text
