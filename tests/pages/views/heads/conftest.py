from tests.pages.views.attention.conftest import own_random  # noqa: F401
