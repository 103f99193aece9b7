import json

from pages.frame.files import as_csv
from tests.pages.views.attention.conftest import from_csv, run_lines

NASTY = "</script><script>alert(1)</script> \"quoted\", 'single' <!-- =1+1 -2 @x"


def test_every_cell_names_its_query_its_key_and_whether_it_is_hidden(open_view):
    _, taken = open_view("maps", model="copy", sentence="a b", kind="decoder self")
    columns = from_csv(as_csv(taken.columns()))
    cells = list(zip(*(columns[name] for name in list(columns)[1:-1]), strict=True))
    assert cells == [
        ("0", "BOS", "0", "BOS", "True"),
        ("0", "BOS", "1", "a", "False"),
        ("0", "BOS", "2", "b", "False"),
        ("1", "a", "0", "BOS", "True"),
        ("1", "a", "1", "a", "True"),
        ("1", "a", "2", "b", "False"),
        ("2", "b", "0", "BOS", "True"),
        ("2", "b", "1", "a", "True"),
        ("2", "b", "2", "b", "True"),
    ]


def test_the_sentence_stands_in_the_lines_as_it_was_typed(open_view):
    _, taken = open_view("maps", model="copy", sentence=NASTY)
    assert json.dumps(NASTY) in taken.snippet()
    assert run_lines(taken.snippet()) == taken.columns()["weight"]


def test_lines_of_a_run_of_ones_own_name_its_folder(open_view, own_copy):
    _, taken = open_view("maps", model="runs/mine", sentence="a b", unit="whole words")
    assert 'Path("runs/mine")' in taken.snippet().replace("'", '"')
    assert run_lines(taken.snippet(), own_copy.parents[1]) == taken.columns()["weight"]
