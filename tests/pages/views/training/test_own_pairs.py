"""How a file of pairs is read is said, and can be chosen."""

LINES = "\n".join(f"the {n} cats; les {n} chats" for n in range(30))


def learned_pairs(at):
    """Return how many pairs the page says there are."""
    return next(each.value for each in at.markdown if "pairs**" in each.value).split("**")[1]


def test_a_first_line_that_names_columns_can_be_a_pair(open_page, own_runs):
    at = open_page("training", task="own pairs", pairs_from="text")
    at.text_area(key="pairs_text").set_value(f"en;fr\n{LINES}").run()
    before = learned_pairs(at)
    assert "The first line names the columns: en&#44; fr." in [each.value for each in at.caption]
    at.toggle[0].set_value(True).run()
    assert not at.exception
    assert int(learned_pairs(at).split()[0]) == int(before.split()[0]) + 1


def test_columns_of_more_than_two_are_chosen(open_page, own_runs):
    rows = "\n".join(f"word {n};mot {n};Wort {n}" for n in range(20))
    at = open_page("training", task="own pairs", pairs_from="text")
    at.text_area(key="pairs_text").set_value(rows).run()
    assert not at.exception and not at.error
    labels = [box.label for box in at.selectbox]
    target = at.selectbox[labels.index("Column of the target")]
    assert target.options == ["column 1", "column 2", "column 3"]
    target.set_value(2).run()
    assert not at.exception and not at.error
    assert "Wort" in "".join(str(each.proto) for each in at.main)
