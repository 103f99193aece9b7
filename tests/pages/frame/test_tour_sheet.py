from html.parser import HTMLParser

from pages.frame.tour_file import Stop, Tour
from pages.frame.tour_sheet import sheet

ONE = Stop(
    title="One <b>",
    page="heads",
    query={},
    question="Where does “it” look?",
    task="Point at it.",
)
TWO = Stop(title="Two", page="heads", query={}, question="And then?", task="Go on.")
TOUR = Tour("lesson", "A lesson", (ONE, TWO))


class Texts(HTMLParser):
    """What a page shows, element by element."""

    def __init__(self):
        super().__init__()
        self.open, self.found = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.found.append(data.strip())


def texts(page):
    parser = Texts()
    parser.feed(page)
    return [text for text in parser.found if text]


def test_every_task_is_on_the_page_with_room_for_two_answers():
    page = sheet(TOUR, {})
    shown = texts(page)
    assert shown[0] == "A lesson"
    assert "1. One <b>" in shown
    assert "2. Two" in shown
    assert page.count('class="room"') == 4
    assert {"Where does “it” look?", "Point at it.", "And then?"} <= set(shown)


def test_answers_stand_at_the_end_as_plain_text_and_only_those_that_were_seen():
    shown = texts(sheet(TOUR, {0: "**it** looks at &#42;animal&#42;: 1.00"}))
    assert shown[-2:] == ["Answers", "1. it looks at *animal*: 1.00"]


def test_without_answers_there_is_no_heading_for_them():
    assert "Answers" not in texts(sheet(TOUR, {}))
