from tests.pages.views.attention.conftest import open_view as open_view
