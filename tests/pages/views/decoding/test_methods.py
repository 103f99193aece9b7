import pytest


@pytest.mark.parametrize(
    ("method", "key", "value", "complaint"),
    [
        ("sampling", "top_p", 0.0, "top_p is 0.0"),
        ("sampling", "temperature", 0.0, "temperature is 0.0"),
        ("beam", "beam", 0, "beam is 0"),
        ("beam", "beam", 99, "beam is 99"),
    ],
)
def test_settings_that_cannot_be_are_named(open_view, method, key, value, complaint):
    at, _shown = open_view("steps")
    at.segmented_control(key="method").set_value(method).run()
    at.number_input(key=key).set_value(value).run()
    assert not at.exception
    assert complaint in "".join(error.value for error in at.error).replace("&#95;", "_").replace(
        "&#46;", "."
    )


def test_an_old_link_to_beam_search_opens_it(open_view):
    at, _shown = open_view("steps", method="beam search", beam="2")
    assert at.segmented_control(key="method").value == "beam"
    assert at.number_input(key="beam").value == 2
