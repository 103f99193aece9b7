"""Of what the components are made."""

import re
from functools import partial

import pytest

from viz.architecture import architecture
from viz.component.assets import lending, lent, without_tags
from viz.lines import lines
from viz.plane import panels
from viz.scrubber import scrubber
from viz.stepper import decoding

ASSETS = {
    "architecture": architecture.component_assets,
    "lines": lines.component_assets,
    "plane": panels.component_assets,
    "maps": partial(panels.component_assets, "maps"),
    "matrices": partial(panels.component_assets, "matrices"),
    "strips": partial(panels.component_assets, "strips"),
    "part": panels.part_assets,
    "scrubber": scrubber.scrubber_assets,
    "stepper": decoding.decoding_assets,
}


@pytest.mark.parametrize("name", ASSETS)
def test_a_script_is_one_module_without_comments(name):
    js = ASSETS[name]().js
    assert js.count("export default") == 1
    assert "_AS_BASE64" not in js
    assert not re.search(r"^\s*(//|/\*\*)", js, re.MULTILINE)
    # No name may be given twice.
    named = re.findall(r"^(?:async )?(?:function|const|let) (\w+)", js, re.MULTILINE)
    assert len(named) == len(set(named))


@pytest.mark.parametrize("name", ASSETS)
def test_no_script_writes_html_or_speaks_a_language_of_its_own(name):
    js = ASSETS[name]().js
    assert "innerHTML" not in js
    assert not re.search(r"toLocale\w+\(\"|(?:NumberFormat|PluralRules)\(\"", js)


@pytest.mark.parametrize("name", ASSETS)
def test_a_lent_component_is_as_it_was_but_for_its_script(name):
    whole = ASSETS[name]()
    borrowing = lent(whole, name)
    assert (borrowing.html, borrowing.css) == (whole.html, whole.css)
    assert len(borrowing.js) < 1000
    assert f'"{name}"' in borrowing.js


def test_what_a_page_lends_can_stand_in_an_element_and_only_what_exports_one_function():
    script = without_tags(lending({name: assets().js for name, assets in ASSETS.items()}))
    assert "export default" not in script
    assert not re.search(r"<[/\w!]", script)
    assert [script.count(f'lend("{name}", ') for name in ASSETS] == [1] * len(ASSETS)
    with pytest.raises(ValueError, match="one default export"):
        lending({"none": "function a() {}"})
