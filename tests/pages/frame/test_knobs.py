from core.training.presets import PRESETS
from pages.frame.knobs import GROUPS, VOCABULARY, setting_label


def test_a_setting_is_called_what_the_training_page_calls_it():
    assert setting_label("model.n_encoder_layers") == "Encoder layers"
    assert setting_label("training.steps") == "Steps"
    assert setting_label("training.guide") == "training.guide"


def test_no_two_settings_are_called_the_same_and_each_is_one():
    knobs = [VOCABULARY, *(knob for group in GROUPS.values() for knob in group)]
    assert len({knob.label for knob in knobs}) == len(knobs)
    preset = PRESETS["small"]
    known = {*preset.model.to_dict(), *preset.training.to_dict(), "vocab_size"}
    assert {knob.name for knob in knobs} <= known
