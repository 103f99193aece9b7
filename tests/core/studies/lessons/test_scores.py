import pytest

from core.studies.lessons.scores import LARGEST, MOST, ScoresError, read_scores


@pytest.mark.parametrize(
    "text", ["1, 2.5, -3", "1 2.5 −3", " 1;2.5 ;\t-3,", "1e0,25e-1,-3.0", "+1,,2.5,,-3"]
)
def test_numbers_are_read_however_they_are_set_apart(text):
    assert read_scores(text).tolist() == [1, 2.5, -3]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "There are no scores"),
        (" ,; ", "There are no scores"),
        ("1, two", "“two” is not a number"),
        ("1_000", "“1_000” is not a number"),
        ("0x10", "is not a number"),
        ("1, inf", "“inf” is not a finite number"),
        ("nan", "“nan” is not a finite number"),
        ("-1e999", "is not a finite number"),
        ("1e7", "“1e7” is too large"),
        ("x" * 500, "…” is not a number"),
        ("1 " * (MOST + 1), f"There are {MOST + 1} scores; at most {MOST}"),
    ],
)
def test_what_cannot_be_read_is_named(text, complaint):
    with pytest.raises(ScoresError, match=complaint.replace("(", r"\(")) as found:
        read_scores(text)
    assert len(str(found.value)) < 100


def test_the_largest_and_the_most_are_still_read():
    assert read_scores(f"{LARGEST} {-LARGEST}").tolist() == [LARGEST, -LARGEST]
    assert len(read_scores("0 " * MOST)) == MOST
