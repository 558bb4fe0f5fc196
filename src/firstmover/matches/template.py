"""Configurations to begin with."""

from importlib.resources import files

from firstmover.errors import look_up

TEMPLATES = {
    "sioux-falls": "41 plans through the roads of Sioux Falls, drawn on their map",
    "routing": "plans through a network; congestion falls on all",
    "patrol": "patrols of a park; poachers choose where to strike",
    "pricing": "a price a day; customers choose how much to buy",
}
"""What each is about, in a few words."""


def template(name: str) -> str:
    """The commented TOML of a template, which works as it is."""
    look_up("template", name, TEMPLATES)
    return files("firstmover.matches").joinpath("templates", f"{name}.toml").read_text("utf-8")
