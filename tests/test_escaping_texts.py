from itertools import count

import pytest

from tests import escaping_texts, messages_of_core, texts_of_scripts


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a module, or a script, each of its own."""
    n = count()

    def write(source, name="page.py"):
        file = tmp_path / f"{next(n)}_{name}"
        file.write_text(source)
        return file

    return write


IN_ENGLISH_ALWAYS = (
    'numeric(label, format="%.2f %%")',
    'points = "%+.1f"',
    'numeric(label, format="percent")',
    "st.altair_chart(figure)",
)
IN_ANY_LANGUAGE = (
    'st.number_input(label, format="%.6g" if n else "%d")',
    "numeric(label, format=beside_bars())",
    'when(format="D MMM HH:mm")',
    'kind = "percent"',
    "charts.chart(figure)",
)


@pytest.mark.parametrize("line", IN_ENGLISH_ALWAYS)
def test_numbers_that_streamlit_would_write_in_english_are_found(written, line):
    assert escaping_texts.written_by_streamlit(written(line))


@pytest.mark.parametrize("line", IN_ANY_LANGUAGE)
def test_numbers_in_the_language_of_the_reader_are_fine(written, line):
    assert not escaping_texts.written_by_streamlit(written(line))


ESCAPING = {
    "a word in an element": 'st.caption("Layers")',
    "a word in a part of the page": 'place.button("Go", key="go")',
    "a word in a text that is filled in": 'st.text(f"{n} heads")',
    "a word that is chosen": 'st.text("yes" if n else n)',
    "a word among several": 'st.tabs(["First", label])',
    "help": 'st.button(_("Go"), help="What it does")',
    "a title of a picture": "bars(x, title='Entropy')",
    "a variable": 'said = "Heads"\n    st.markdown(said)',
    "what is offered": 'choice(_("Unit"), "unit", {"words": "Words"}, "words")',
    "a constant": "st.markdown(ABOUT)",
    "one of several constants": "st.markdown(TITLES[n])",
    "a marked constant that nobody translates": "st.markdown(MARKED)",
    "a sentence that goes anywhere": 'return f"{n} of {m} heads"',
}
FINE = {
    "a translated text": 'st.caption(_("Layers"))',
    "a translated constant": "st.markdown(_(MARKED))",
    "a text with numbers filled in": 'st.text(_("{n} heads").format(n=number(n)))',
    "a plural": 'st.text(n_("{n} head", "{n} heads", n).format(n=n))',
    "signs and numbers": 'st.caption(f"{name}: {n} → {m}")',
    "an icon": 'st.button(_("Go"), icon=":material/science:", key="go_on")',
    "an abbreviation": 'st.button("CSV")',
    "what old links called a thing": 'choice(_("Unit"), "unit", found, older={"whole words": "w"})',
    "a name": 'open_page("heads")',
    "a formula": r'st.latex(r"\text{where } x \text{ is hidden}")',
    "a line of code": 'lines = ["from core.heads import Head", "    for head in heads"]',
}
AROUND = """
ABOUT = "Heads"
TITLES = {{"a": "First"}}
MARKED = N_("Heads")


def draw(n, m):
    {line}
"""


@pytest.mark.parametrize("line", ESCAPING.values(), ids=ESCAPING)
def test_what_nobody_translates_is_found(written, line):
    assert escaping_texts.escaping(written(AROUND.format(line=line)))


@pytest.mark.parametrize("line", FINE.values(), ids=FINE)
def test_what_is_translated_or_is_no_text_is_passed_over(written, line):
    file = written(AROUND.format(line=line))
    assert not escaping_texts.escaping(file)
    assert not escaping_texts.put_together(file)
    assert not escaping_texts.in_f_strings(file)
    assert not escaping_texts.formatted(file)
    assert not escaping_texts.frozen(file)


@pytest.mark.parametrize(
    "line", ["st.text(f\"{_('Heads')}: 3\")", "st.text(f\"{n_('{n} head', '{n} heads', n)}\")"]
)
def test_a_text_that_extraction_does_not_see_is_found(written, line):
    assert escaping_texts.in_f_strings(written(AROUND.format(line=line)))


def test_docstrings_are_no_texts(written):
    file = written('"""What it is for."""\nHEADS = 3\n"""So many heads."""\n')
    assert not escaping_texts.escaping(file)


@pytest.mark.parametrize(
    "source",
    [
        'TITLE = _("Heads")',
        'TITLES = {"a": _("Heads")}',
        'class Shown:\n    title = _("Heads")',
        'def draw(title=_("Heads")):\n    return title',
        'TITLES = [n_("{n} head", "{n} heads", n) for n in range(3)]',
    ],
)
def test_what_is_translated_for_whoever_comes_first_is_found(written, source):
    assert escaping_texts.frozen(written(source))


@pytest.mark.parametrize(
    "source",
    [
        '_(f"{n} heads")',
        '_("{n} heads".format(n=n))',
        '_("heads" + more)',
        '_(name.replace("_", " "))',
        "N_(name)",
        'n_("{n} head", f"{n} heads", n)',
        '_("{n:,} heads")',
        '_("{share:.1f} points")',
    ],
)
def test_what_no_catalogue_can_hold_is_found(written, source):
    assert escaping_texts.put_together(written(source))


@pytest.mark.parametrize("spec", [",", ".3g", "#.3g", "+.1f", ",.0f", ".{n}f"])
def test_numbers_that_are_written_in_english_are_found(written, spec):
    assert escaping_texts.formatted(written(f'text = f"{{value:{spec}}}"'))


@pytest.mark.parametrize("spec", [">3", "02d", "#x", "<{n}"])
def test_widths_are_no_numbers(written, spec):
    assert not escaping_texts.formatted(written(f'text = f"{{value:{spec}}}"'))


def test_texts_of_a_picture_have_to_be_marked(written):
    assert escaping_texts.unmarked(written('DEFAULT_TEXTS = {"a": "Heads", "b": N_("Heads")}'))
    assert not escaping_texts.unmarked(written('TEXTS = {**MORE, "b": N_("Heads")}'))


@pytest.mark.parametrize(
    "script",
    [
        'node.textContent = "Heads";',
        "node.ariaLabel = `layer ${layer}`;",
        'node.setAttribute("aria-label", "Heads");',
        'say("Press a key to go on");',
        "say(`Layer ${layer} holds`);",
        'n.toLocaleString("en")',
        'new Intl.PluralRules("en")',
    ],
)
def test_texts_of_scripts_are_found(written, script):
    assert texts_of_scripts.of_script(written(script, "picture.js"))


@pytest.mark.parametrize(
    "script",
    [
        "// What stands here is a comment.",
        'node.className = "line quiet";',
        "node.textContent = texts.title;",
        "node.textContent = `${layer}.${head}`;",
        'root.querySelector(".tools button")',
        "n.toLocaleString(texts.language)",
    ],
)
def test_what_is_no_text_in_a_script_is_passed_over(written, script):
    assert not texts_of_scripts.of_script(written(script, "picture.js"))


def test_texts_of_markup_are_found(written):
    for markup in ("<p>Heads</p>", '<div aria-label="Heads"></div>'):
        assert texts_of_scripts.of_markup(written(markup, "picture.html"))
    assert not texts_of_scripts.of_markup(written('<p class="heads"></p>', "picture.html"))


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ('raise RunError(f"{path}: no such folder")', messages_of_core.put_together),
        ('require(n, f"{n} is none")', messages_of_core.put_together),
        ('Message("{n} tokens", m=3)', messages_of_core.filled_otherwise),
        ('error = CorpusError("{n} pairs")', messages_of_core.filled_otherwise),
        ('require(n, "tokens", n=3)', messages_of_core.filled_otherwise),
    ],
)
def test_errors_that_no_page_can_translate_are_found(written, line, rule):
    assert rule(written(line))


def test_errors_that_are_made_of_a_template_and_values_are_fine(written):
    file = written('raise RunError("{n} tokens", n=3)\nraise ValueError(f"{n} inside")')
    assert not messages_of_core.put_together(file)
    assert not messages_of_core.filled_otherwise(file)
