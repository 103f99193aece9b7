import pytest

from viz.component.payload import TokenLabel
from viz.plane.matrices import (
    Axis,
    numbered,
)


def test_numbers_count_from_where_they_are_told():
    assert [label.text for label in numbered("layer", 3, start=-1).labels] == ["-1", "0", "1"]


def test_a_side_that_has_no_tint_is_refused():
    with pytest.raises(ValueError, match="left"):
        Axis(name="word", labels=(), side="left")


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ({"differs": (0, 2, -1)}, r"'word' has no positions \[-1, 2\]"),
        ({"links": (0, 1, 2)}, "'word' needs 2 links, got 3"),
    ],
)
def test_marks_of_labels_that_are_not_there_are_refused(marks, message):
    with pytest.raises(ValueError, match=message):
        Axis(name="word", labels=(TokenLabel("too"), TokenLabel("wide")), **marks)
