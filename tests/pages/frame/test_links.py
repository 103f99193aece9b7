from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest


def _link(page, query):
    from pages.frame import links

    links.link(page, "Open it", ":material/grid_view:", query)


@pytest.mark.parametrize("page", ["", "training"])
def test_a_link_opens_a_page_of_the_app_with_what_it_is_to_show(page):
    query = {"model": "runs/été & co", "layer": "2"}
    [link] = AppTest.from_function(_link, args=(page, query)).run().get("page_link")
    assert (link.proto.page, link.proto.label, link.proto.external) == (page, "Open it", False)
    assert parse_qs(link.proto.query_string) == {name: [text] for name, text in query.items()}
