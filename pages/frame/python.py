"""The Python that computes a view's numbers again, for whoever has the project's folder."""

import json
from pathlib import Path

from pages.frame.opening import Opened


def loading(path: Path, *imports: str) -> str:
    """Return Python that loads a run.

    Args:
        path: The run's folder.
        imports: More lines that import, for what comes after.
    """
    lines = sorted({*imports, "from core.runs.run import load_run"})
    run = f"run = load_run({folder(path)})"
    return "\n".join(["from pathlib import Path", "", *lines, "", run, ""])


def reading(opened: Opened, *imports: str) -> str:
    """Return Python that loads the run and names the sentence, both as the page shows them."""
    return loading(opened.path, *imports) + f"sentence = {quoted(opened.sentence)}\n"


def inspecting(opened: Opened, *imports: str) -> str:
    """Return Python that loads the run and inspects the sentence, token by token."""
    inspect = "from core.inspection import inspect_sentence"
    lines = f"inspection = inspect_sentence(run, {quoted(opened.sentence)})\n"
    return loading(opened.path, *imports, inspect) + lines


def folder(path: Path) -> str:
    """Return a run's folder, seen from the project's, as Python writes it.

    >>> folder(Path("/anywhere/gallery/copy"))
    'Path("gallery/copy")'
    """
    return f"Path({quoted(f'{path.parent.name}/{path.name}')})"


def quoted(text: str) -> str:
    r"""Return a text as Python writes it, in double quotes: JSON's escapes are Python's too.

    >>> quoted('say "no"\n')
    '"say \\"no\\"\\n"'
    """
    return json.dumps(text, ensure_ascii=False)
