from tests.pages.views.attention.conftest import open_view  # noqa: F401
