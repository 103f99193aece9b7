"""What the package asks for, beside the versions that the app is tested with."""

import tomllib

from packaging.requirements import Requirement

from core.installed import ROOT


def test_the_pinned_versions_are_those_that_the_package_allows():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    allowed = {each.name: each.specifier for each in map(Requirement, sum(lists, []))}
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    pinned = [Requirement(line) for line in lines if line[:1].isalpha()]
    assert {each.name for each in pinned} == allowed.keys() - {"seq2see"}
    for each in pinned:
        [version] = [pin.version for pin in each.specifier]
        assert version in allowed[each.name], each
