from core.choices import CHOICES
from core.training.settings import MODEL, TRAINING
from pages.frame.knobs import ARCHITECTURE, GROUPS, KNOBS, VOCABULARY, setting_label


def test_a_setting_is_called_what_the_training_page_calls_it():
    assert setting_label("model.n_encoder_layers") == "Encoder layers"
    assert setting_label("training.steps") == "Steps"
    assert setting_label("model.norm_kind") == "Kind of norm"
    assert setting_label("training.guide") == "training.guide"


def test_no_two_settings_are_called_the_same_and_each_is_one():
    groups = (*GROUPS.values(), *ARCHITECTURE.values())
    knobs = [VOCABULARY, *(knob for group in groups for knob in group)]
    assert len({knob.label for knob in knobs}) == len(knobs) == len(KNOBS)
    assert {knob.name for knob in knobs} <= {*MODEL, *TRAINING}


def test_what_is_chosen_from_is_what_the_setting_can_be():
    for knob in KNOBS.values():
        if knob.name in CHOICES and knob.name != "norm":
            assert knob.offered == CHOICES[knob.name], knob.name
        assert set(knob.words) <= set(knob.offered), knob.name
