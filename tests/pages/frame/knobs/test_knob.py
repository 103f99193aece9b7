from pages.frame.knobs import Knob


def test_a_word_is_called_as_its_own_setting_says_or_as_all_do():
    knob = Knob("a", "A", "", offered=("none", "halves", "q"), words={"halves": "half by half"})
    assert [knob.word(each) for each in knob.offered] == ["none", "half by half", "q"]
    assert Knob("b", "B", "").word("halves") == "sines first"
