import base64
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.component.assets import Assets, assets_of, without_tags
from viz.component.standalone import Drawn, standalone_page

PLAIN = Assets(
    html="<section></section>", css=":host {}", js="export default function (component) {}"
)
NASTY = [
    "</title></h1></dd></main></script></style></template><script>alert(1)</script>",
    "<!-- <script>",
    "--> ]]> \" ' & &amp; &lt;",
    "<img src=x onerror=alert(1)>",
    "{title} {0} %s",
    "مرحبا \u202e \x00",
]


class Page(HTMLParser):
    """The elements of a page in order, and the text within each."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.texts, self.open = [], {}, []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data


def elements(page):
    return Page(page).elements


@pytest.mark.parametrize("text", NASTY)
def test_no_text_breaks_out(text):
    page = standalone_page([Drawn(PLAIN, lambda: text.encode())], text, {text: text})
    assert elements(page) == elements(
        standalone_page([Drawn(PLAIN, lambda: b"")], "title", {"name": "fact"})
    )
    read = Page(page).texts
    for place in ("title", "h1", "dt", "dd"):
        assert read[place].strip() == text


def test_a_page_names_its_language_for_screen_readers():
    assert '<html lang="en">' in standalone_page([Drawn(html="<p></p>")], "title")
    assert '<html lang="pt-BR">' in standalone_page(
        [Drawn(html="<p></p>")], "título", language="pt-BR"
    )


@given(packed=st.binary(max_size=60))
def test_the_payload_is_in_the_page_byte_by_byte(packed):
    page = standalone_page([Drawn(PLAIN, lambda: packed)], "title")
    [written] = re.findall(r'<script type="text/plain" id="payload-0">([^<]*)</script>', page)
    assert base64.b64decode(written) == packed


def test_a_component_is_in_the_page_whole():
    assets = assets_of("plane")
    page = standalone_page([Drawn(assets, lambda: b"")], "title")
    assert assets.css in page
    assert assets.html in page
    script = assets.js.replace("export default function", "const mountComponent = function")
    assert without_tags(script) in page
    assert "export default" not in page


def test_script_and_style_cannot_end_their_elements():
    assets = Assets(
        html="<p></p>",
        css="/* </style><script>x</script> */",
        js="// </script> <!-- </SCRIPT >\nexport default (component) => 1;",
    )
    page = standalone_page([Drawn(assets, lambda: b"")], "title")
    assert elements(page).count("script") == 2
    assert "<!--" not in page.split("<body>")[1]


def test_nothing_is_fetched():
    page = standalone_page([Drawn(assets_of("plane"), lambda: b"")], "title", {"a": "b"})
    assert "default-src 'none'" in page
    # The one address there is names the language of drawings.
    assert set(re.findall(r"https?://[^\s\"'`<]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert not re.findall(r"<(?:link|img|iframe)\b|@import|url\((?!['\"]?data:)", page)
