import pytest

from pages.frame import tour
from pages.frame.links import PAGES
from pages.frame.tour import EXAMPLE, TourError, read_tour, tour_names


@pytest.fixture
def tours(tmp_path, monkeypatch):
    """Return a function that writes a tour of one's own."""
    monkeypatch.setattr(tour, "TOURS", tmp_path)

    def write(text, name="monday"):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
        return name

    return write


def test_the_example_is_a_tour(tours):
    tour = read_tour(tours(EXAMPLE))
    assert (tour.name, tour.title, len(tour.stops)) == ("monday", "Monday's lesson", 1)
    [stop] = tour.stops
    assert (stop.title, stop.page) == ("Who is tired?", "attention")
    assert (stop.question, stop.task) == ("Where does “it” look?", "Rest the pointer on “it”.")
    assert stop.query == {
        "view": "lines",
        "sentence": "The dog slept because it was tired.",
    }
    assert stop.shows == {"side": "query", "token": "4"}


def test_a_link_may_come_from_another_address_and_from_within_a_tour(tours):
    text = """
[[stop]]
title = "Silence"
link = "https://lab.example/app/heads?trial=silence&tour=paper&stop=4"
"""
    tour = read_tour(tours(text))
    assert tour.title == "monday"
    assert (tour.stops[0].page, dict(tour.stops[0].query)) == ("heads", {"trial": "silence"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = ", "cannot be read"),
        ('title = "Empty"', "no [[stop]]"),
        ("stop = 3", "no [[stop]]"),
        ("stop = [3]", "Stop 1 of {file} is no table"),
        ('[[stop]]\ntitle = "A"', "Stop 1 of {file} has no link"),
        (
            '[[stop]]\ntitle = "A"\nlink = "/heads"\n[[stop]]\nlink = "/"',
            "Stop 2 of {file} has no title",
        ),
        ('[[stop]]\ntitle = "A"\nlink = "/nowhere?x=1"', "there is no page nowhere"),
        (
            '[[stop]]\ntitle = "A"\nlink = "/heads"\nhint = "b"',
            "hint is not one of the texts title, link",
        ),
        ('[[stop]]\ntitle = "A"\nlink = "/heads"\ntask = 3', "task is not one of the texts"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tours, tmp_path, text, said):
    name = tours(text)
    with pytest.raises(TourError) as error:
        read_tour(name)
    assert said.format(file=tmp_path / "monday.toml") in str(error.value)


@pytest.mark.parametrize("name", ["tuesday", "../monday", "", "a b"])
def test_no_other_file_than_one_of_the_folder_is_read(tours, tmp_path, name):
    (tmp_path.parent / "monday.toml").write_text(EXAMPLE)
    with pytest.raises(TourError, match="There is no tour named"):
        read_tour(name)


def test_bytes_that_are_no_text_are_refused(tours, tmp_path):
    (tmp_path / "monday.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TourError, match="cannot be read"):
        read_tour("monday")


def test_tours_are_listed_by_name(tours):
    for name in ("b", "a", "not a name"):
        tours(EXAMPLE, name)
    assert tour_names() == ["a", "b"]


BOMBS = {
    "nested arrays": "a = " + "[" * 50_000,
    "nested tables": "a = " + "{b = " * 30_000,
    "dotted names": "a" + ".a" * 40_000 + " = 1",
    "a dotted table": '["a"' + ' . "a"' * 10_000 + "]",
    "a large text": 'title = "' + "x" * 300_000 + '"',
    "many stops": '[[stop]]\ntitle = "A"\nlink = "/heads"\n' * 200,
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_a_file_that_would_take_more_than_a_tour_may_is_refused(tours, text):
    with pytest.raises(TourError):
        read_tour(tours(text))


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "https://elsewhere.example/", "//[heads", "http://[::1/heads"]
    + ["/../../etc/passwd", "data:text/html,heads", "/sign-out"],
)
def test_a_stop_leads_to_pages_of_the_app_alone(tours, link):
    name = tours(f'[[stop]]\ntitle = "A"\nlink = "{link}"')
    try:
        page = read_tour(name).stops[0].page
    except TourError:
        return
    # The machine that the link names is not asked for.
    assert page in PAGES
