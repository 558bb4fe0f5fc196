collect_ignore = ["plugin_toll.py"]  # its import registers a game, which only a process of its own may have
