from viz.charts.step_chances import step_chances

WORDS = ["la", "rue", "la"]


def drawn(**texts):
    best, lead = ["la", "rue", "le"], [0.5, 0.9, 0.7]
    return step_chances(WORDS, [1.0, 0.9, 0.8], [0.5, 0.9, 0.1], best, lead, texts)


def rows(chart):
    return chart.data.to_dict("records")


def test_only_another_word_that_becomes_the_most_probable_is_named_at_its_own_probability():
    assert [row["instead"] for row in rows(drawn())] == ["", "", "le"]
    named = [layer for layer in drawn().to_dict()["layer"] if layer["mark"]["type"] == "text"]
    assert [layer["encoding"]["y"]["field"] for layer in named] == ["lead"]
    assert rows(drawn())[2]["lead"] == 0.7
