from core.training.settings import MODEL, TRAINING
from pages.views.training.knobs import KNOBS, setting_label


def test_a_setting_is_called_what_the_training_page_calls_it():
    assert setting_label("model.n_encoder_layers") == "Encoder layers"
    assert setting_label("model.norm_kind") == "Kind of norm"
    assert setting_label("training.guide") == "training.guide"


def test_no_two_settings_are_called_the_same_and_each_is_one():
    assert len({knob.label for knob in KNOBS.values()}) == len(KNOBS)
    assert set(KNOBS) <= {*MODEL, *TRAINING}
