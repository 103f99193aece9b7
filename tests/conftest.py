"""What holds for every test: machines may be busy, so no example fails for being slow."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
