import pytest

from core.decoding.sentence import translate
from tests.pages.views.layers.conftest import TIRED


@pytest.mark.parametrize("view", ["stream", "lens", "units"])
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_a_view_offers_the_positions_of_the_chosen_stack(open_layers, run, view, stack):
    name, position = {
        "stream": ("stream_stack", "stream_position"),
        "lens": ("lens_stack", "lens_position"),
        "units": ("unit_stack", "unit_position"),
    }[view]
    at = open_layers(layers=view, **{name: stack})
    translation = translate(run, TIRED)
    ids = translation.source_ids if stack == "encoder" else translation.fed_ids
    assert at.selectbox(key=position).options == [str(each) for each in range(len(ids))]
