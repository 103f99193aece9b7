"""seq2see: sequence to sequence, made visible.

Each name is imported when it is first asked for, as torch takes seconds.
"""

from importlib import import_module
from pathlib import Path

# A checkout has `core` beside this folder, an installed package inside it.
WITHIN = f"{__name__}." if Path(__file__).with_name("core").is_dir() else ""
OFFERED = {
    "attention": f"{__name__}.display",
    "watch": f"{__name__}.display",
    "check": f"{WITHIN}core.check",
    "Override": f"{WITHIN}core.watch",
    "Patch": f"{WITHIN}core.watch",
    "Silence": f"{WITHIN}core.watch",
}
"""What the package offers → the module that holds it."""

__version__ = str(import_module(f"{WITHIN}core.installed").VERSION)
__all__ = [*OFFERED, "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name not in OFFERED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(OFFERED[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
