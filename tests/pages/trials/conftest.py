from tests.pages.explorer.conftest import own_random  # noqa: F401
