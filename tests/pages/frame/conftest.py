from tests.pages.views.attention.conftest import offered, open_view  # noqa: F401
