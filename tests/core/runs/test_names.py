import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.runs.folder import LONGEST, checked_name, free_name
from core.runs.run import RunError

LETTERS = st.characters(categories=["L", "M", "N", "Zs"], include_characters="-_.")
NAMES = st.text(LETTERS, max_size=LONGEST + 2) | st.text(max_size=8)


def accepted(text):
    try:
        return checked_name(text)
    except RunError:
        return None


@pytest.mark.parametrize("name", ["copy-2", "my run", "v1.2_b", "été", "世界", "हिन्दी", "com10"])
def test_a_name_that_every_system_can_hold_stays_as_it_is(name):
    assert checked_name(name) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *((" \t", "needs a name"), ("x" * (LONGEST + 1), f"{LONGEST} are the most")),
        *(
            (text, "no name of a run")
            for text in ("a/b", "a\\b", "C:", "a\0", "a\u202eb", "\udcff")
        ),
        *((text, "no name of a run") for text in ("..", ".hidden", "-rf", "\u0301a", "name.")),
    ],
)
def test_a_name_that_some_system_refuses_is_refused_with_the_reason(text, why):
    with pytest.raises(RunError, match=why):
        checked_name(text)


@given(NAMES)
def test_an_accepted_name_is_one_folder_and_reads_back(text):
    name = accepted(text)
    assume(name is not None)
    assert checked_name(name) == name
    assert Path(name).parts == (name,)
    with tempfile.TemporaryDirectory() as parent:
        (Path(parent) / name).mkdir()
        assert [path.name for path in Path(parent).iterdir()] == [name]


@pytest.mark.parametrize("there", ["été", "ÉTÉ", "e\u0301te\u0301"])
@pytest.mark.parametrize("make", [Path.mkdir, Path.touch])
def test_a_name_is_taken_in_any_case_and_form_of_its_letters(runs, there, make):
    assert free_name(runs / "none", "été") == free_name(runs, "été") == "été"
    make(runs / there)
    assert free_name(runs, "été") == "été-2"


@pytest.mark.parametrize("end", ["xyz", "..z"])
def test_a_number_fits_behind_the_longest_name(runs, end):
    name = checked_name("x" * (LONGEST - 3) + end)
    (runs / name).mkdir()
    assert checked_name(free_name(runs, name)) == name[:-2].rstrip("- .") + "-2"
