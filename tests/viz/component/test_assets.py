"""Of what the components are made."""

import re
from functools import partial

import pytest

from viz.component.assets import assets_of, lending, part_assets, without_tags
from viz.descent import descent
from viz.lines import lines
from viz.plane import maps, matrices, strips
from viz.stepper import decoding

ASSETS = {
    **{name: partial(assets_of, name) for name in ("descent", "lines", "plane", "stepper")},
    "part": part_assets,
}
TEXTS = {
    "descent": descent.DEFAULT_DESCENT_TEXTS,
    "lines": lines.DEFAULT_LINES_TEXTS,
    "plane": {
        **maps.DEFAULT_MAPS_TEXTS,
        **matrices.DEFAULT_MATRICES_TEXTS,
        **strips.DEFAULT_STRIPS_TEXTS,
    },
    "stepper": decoding.DEFAULT_DECODING_TEXTS,
}
# Sizes and colours that a script writes into the elements.
WRITTEN_BY_SCRIPTS = re.compile(r'"(--[a-z-]+)"')


@pytest.mark.parametrize("name", ASSETS)
def test_a_script_is_one_module_without_comments(name):
    js = ASSETS[name]().js
    assert js.count("export default") == 1
    assert not re.search(r"^\s*(//|/\*\*)", js, re.MULTILINE)
    assert not re.search(r"^(?:import\b|export (?!default))", js, re.MULTILINE)
    # All modules share one scope: no name may be given twice.
    named = re.findall(r"^(?:async )?(?:function|const|let) (\w+)", js, re.MULTILINE)
    assert len(named) == len(set(named))


@pytest.mark.parametrize("name", ASSETS)
def test_no_script_writes_html_or_piles_up_handlers(name):
    js = ASSETS[name]().js
    assert "innerHTML" not in js
    # Handlers are properties; only these two are events alone.
    assert set(re.findall(r'addEventListener\("(\w+)"', js)) <= {"focusin", "focusout"}


@pytest.mark.parametrize("name", ASSETS)
def test_only_the_theme_names_colours_and_every_variable_has_a_value(name):
    assets = ASSETS[name]()
    own_css = assets.css.split("}", 1)[1]
    assert not re.search(r"#[0-9a-f]{3,8}\b|\brgba?\(|\bhsl", own_css, re.IGNORECASE)
    named = set(re.findall(r"(--[a-z0-9-]+):", assets.css))
    named |= set(WRITTEN_BY_SCRIPTS.findall(assets.js))
    used = re.findall(r"var\((--[a-z0-9-]+)\)", assets.css)
    assert {each for each in used if not each.startswith("--st-")} <= named


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_is_used_by_the_script(name):
    js = ASSETS[name]().js
    unused = [text for text in TEXTS[name] if not re.search(rf"\b{text.split('.')[0]}\b", js)]
    assert unused == []


def test_what_a_page_lends_can_stand_in_an_element_and_only_what_exports_one_function():
    script = without_tags(lending({name: assets().js for name, assets in ASSETS.items()}))
    assert "export default" not in script
    assert not re.search(r"<[/\w!]", script)
    assert [script.count(f'lend("{name}", ') for name in ASSETS] == [1] * len(ASSETS)
    with pytest.raises(ValueError, match="one default export"):
        lending({"none": "function a() {}"})
