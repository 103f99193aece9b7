"""The frame of a payload under its old name, for the drawing of the architecture."""

from collections.abc import Sequence

from viz.component import assets
from viz.component.assets import Assets as Assets
from viz.component.payload import TokenLabel as TokenLabel
from viz.component.payload import check_texts as check_texts
from viz.component.payload import framed as framed
from viz.component.payload import unframed as unframed


def assets_of(name: str, scripts: Sequence[str], styles: Sequence[str] = ()) -> Assets:
    """Read the files of a component whose own ones lie in `viz/components`."""
    placed = [
        f"component/{script.removeprefix('shared_')}"
        if script.startswith("shared_")
        else f"components/{script}"
        for script in scripts
    ]
    return assets.assets_of(f"components/{name}", placed, styles)
