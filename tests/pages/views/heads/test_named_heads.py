import pytest

from core.heads import Head, Site
from tests.pages.conftest import component, said
from tests.pages.frame.test_notes import NO_CHANGE, store
from tests.viz.unpacked import unpack_matrices as unpack

USELESS = Head(Site("encoder", 0, "self"), 1)


@pytest.fixture
def open_doubted(open_page, own_copy):
    """Return a function that opens a view of a run in which head 1 was found to change nothing."""
    store(own_copy, USELESS)

    def opener(trial, **query_params):
        return open_page(
            "heads", trial=trial, model="runs/mine", sentence="a b c d", **query_params
        )

    return opener


@pytest.mark.parametrize(
    ("trial", "place"),
    [
        ("override", {"kind": "encoder self", "layer": "0", "head": "{head}"}),
        ("silence", {"silent": "encoder.0.self:{head}", "instead": "uniform"}),
    ],
)
def test_each_view_says_why_not_to_believe_in_the_head_it_shows(open_doubted, trial, place):
    def text(head):
        return said(open_doubted(trial, **{k: v.format(head=head) for k, v in place.items()}))

    assert NO_CHANGE in text(1)
    assert NO_CHANGE not in text(2)


def test_patching_says_it_of_the_heads_that_it_names(open_page, own_copy):
    places = {"model": "runs/mine", "sentence": "k d a f q z", "patch_with": "k d a f q w"}
    at = open_page("heads", trial="patch", **places)
    assert NO_CHANGE not in said(at)
    [panel] = [p for p in unpack(component(at, "matrices").bytes).panels if "cross" in p.title]
    values_LH = panel.values[:, :-1]
    layer, head = divmod(int(values_LH.argmax()), values_LH.shape[1])
    store(own_copy, Head(Site("decoder", layer, "cross"), head))
    where = f"Decoder layer {layer}, cross-attention head {head}"
    at.run()
    assert f"of **{where[0].lower()}{where[1:]}** copied" in said(at)
    assert NO_CHANGE in said(at)


def test_what_the_view_says_of_silencing_is_not_said_twice(open_doubted):
    text = said(open_doubted("silence", silent="encoder.0.self:1"))
    assert "silencing it makes no measurable difference" in text
    assert NO_CHANGE not in text
