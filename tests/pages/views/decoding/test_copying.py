NAMES = "Kowalski gives the red book to Zorblax"


def test_a_typed_name_is_copied_under_its_own_name_and_words_are_not(open_view):
    # As older links open it.
    at, shown = open_view("copying", model="copying", sentence=NAMES)
    assert at.segmented_control(key="part").value == "copying"
    numbers = shown.columns()
    p_gen = {word: p for word, p in zip(numbers["written"], numbers["p_gen"], strict=True)}
    assert list(p_gen) == [*("Kowalski", "donne", "le", "livre", "rouge", "à", "Zorblax", "EOS")]
    copied = {word for word, p in p_gen.items() if p < 0.05}
    assert {"Kowalski", "Zorblax"} <= copied <= {"Kowalski", "Zorblax", "EOS"}
    assert min(p_gen[word] for word in ("donne", "le", "livre", "rouge", "à")) > 0.95
    rows = zip(numbers["taken"], numbers["written"], numbers["source"], strict=True)
    assert max(row for row in rows if row[1] == "Zorblax")[2] == "Zorblax"
    assert "Copied from the source: **Kowalski** (p_gen " in shown.seen
    assert "), **Zorblax** (p_gen " in shown.seen


def test_a_sentence_without_names_is_all_generated(open_view):
    sentence = "the black cat hides the green coat"
    _at, shown = open_view("steps", part="copying", model="copying", sentence=sentence)
    assert shown.seen.startswith("Nothing is copied: **p_gen** is ")
