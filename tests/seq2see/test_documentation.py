"""The site that `make docs` writes names what is there."""

import re
from importlib import import_module

from core.installed import ROOT, VERSION


def test_everything_that_the_reference_lists_is_there():
    names = re.findall(r"^::: ([\w.]+)$", (ROOT / "docs" / "reference.md").read_text(), re.M)
    assert len(names) > 5
    for module, _, name in (each.rpartition(".") for each in names):
        assert getattr(import_module(module), name).__doc__, name


def test_the_citation_names_this_version():
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text()
