from hypothesis import settings

# The same examples in every run: a failure is a change of the code, never of the weather.
settings.register_profile("firstmover", derandomize=True, deadline=None)
settings.load_profile("firstmover")
