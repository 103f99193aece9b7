"""Python with which a reader computes a view's numbers again: how all of it begins."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def importing(*imports: str) -> str:
    """Return lines that import, in order, with an empty line below.

    >>> print(importing("import numpy as np", "import math", "import math"))
    import math
    import numpy as np
    <BLANKLINE>
    """
    return "\n".join([*sorted(set(imports)), ""])


def loading(path: Path, *imports: str) -> str:
    """Return lines that load a run as `run`.

    Args:
        path: Of the run.
        imports: More lines that import, for what comes after.
    """
    needed = importing(*imports, "from core.runs.run import load_run")
    return f"from pathlib import Path\n\n{needed}\nrun = load_run({folder(path)})\n"


def translating(path: Path, sentence: str, *imports: str) -> str:
    """Return lines that load a run and let it write its `translation` of a sentence."""
    begun = loading(path, *imports, "from core.inspection import inspect_sentence")
    return begun + f"translation = inspect_sentence(run, {quoted(sentence)}).translation\n"


def naming(path: Path, sentence: str, *imports: str) -> str:
    """Return lines that load a run as `run` and name the `sentence`."""
    return loading(path, *imports) + f"sentence = {quoted(sentence)}\n"


def inspecting(path: Path, sentence: str, *imports: str) -> str:
    """Return lines that load a run and inspect a sentence token by token, as `inspection`."""
    imports = (*imports, "from core.inspection import inspect_sentence")
    return naming(path, sentence, *imports) + "inspection = inspect_sentence(run, sentence)\n"


def folder(path: Path) -> str:
    """Return a run's folder, seen from the project's, as Python writes it."""
    return f"Path({quoted(place(path).as_posix())})"


def place(path: Path) -> Path:
    """Return a run's folder, seen from the project's; of one elsewhere its last two names."""
    if path.is_relative_to(ROOT):
        return path.relative_to(ROOT)
    return Path(path.parent.name, path.name)


def quoted(text: str) -> str:
    r"""Return a text as Python writes it, in double quotes: JSON's escapes are Python's too.

    >>> print(quoted('say "a"'))
    "say \"a\""
    """
    return json.dumps(text, ensure_ascii=False)
