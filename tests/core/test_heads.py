import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.heads import Head, Kind, Site

LAYERS = st.integers(0, 999)
KINDS = st.sampled_from(Kind)
SITES = st.one_of(
    st.builds(lambda kind, layer: kind.site(layer), KINDS, LAYERS),
    st.builds(
        Site,
        st.sampled_from(["encoder", "decoder"]),
        LAYERS,
        st.sampled_from(["feed_forward", "embedding"]),
    ),
)
HEADS = st.builds(
    lambda kind, layer, index: Head(kind.site(layer), index), KINDS, LAYERS, st.integers(0, 999)
)


@given(SITES)
def test_a_site_is_what_its_text_says(site):
    assert Site.parse(str(site)) == site


@given(HEADS)
def test_a_head_is_what_its_text_says(head):
    assert Head.parse(str(head)) == head
    assert str(head) == f"{head.site}:{head.index}"


@given(HEADS)
def test_a_head_is_read_from_files_old_and_new(head):
    new = json.loads(json.dumps({"head": str(head), "score": 0.5}))
    old = {"site": str(head.site), "head": head.index, "score": 0.5}
    assert Head.read(new) == Head.read(old) == head


@pytest.mark.parametrize(
    "text",
    [
        *("", "encoder", "encoder.1", "encoder.1.self", "encoder.1.self:", "encoder.1.self:x"),
        *("encoder.1.self:0\n", " encoder.1.self:0", "encoder.1.self:٣", "encoder.1.self/0"),
        "encoder." + "9" * 5000 + ".self:0",
    ],
)
def test_nonsense_is_no_head(text):
    with pytest.raises(ValueError, match="is not a head such as"):
        Head.parse(text)


@pytest.mark.parametrize(
    "entry",
    [
        {"head": 0},
        {"site": "encoder.0.self", "head": "0"},
        {"site": "encoder.0.self", "head": -1},
    ],
)
def test_an_entry_without_a_head_is_refused(entry):
    with pytest.raises(ValueError):
        Head.read(entry)
