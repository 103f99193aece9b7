import pytest

from pages.frame import amounts


@pytest.mark.parametrize(
    ("said", "one", "many"),
    [
        (amounts.sentences, "1 sentence", "2,000 sentences"),
        (amounts.pronouns, "1 ambiguous pronoun", "2,000 ambiguous pronouns"),
        (amounts.rows, "1 row", "2,000 rows"),
    ],
)
def test_a_number_is_said_with_what_it_counts(said, one, many):
    assert (said(1), said(2000)) == (one, many)
