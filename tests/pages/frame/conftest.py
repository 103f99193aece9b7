from tests.pages.attention.conftest import offered, open_view  # noqa: F401
