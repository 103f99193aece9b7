"""seq2see: sequence to sequence, made visible.

Each name is imported when it is first asked for, as torch takes seconds.
"""

from importlib import import_module
from pathlib import Path

_HERE = Path(__file__).parent
if not (_HERE / "core").is_dir():
    # In a checkout, `core` and `viz` stand beside this folder: they are found there.
    __path__.append(str(_HERE.parent))
OFFERED = {
    "attention": f"{__name__}.display",
    "watch": f"{__name__}.display",
    "check": f"{__name__}.core.check",
    "Override": f"{__name__}.core.watch",
    "Patch": f"{__name__}.core.watch",
    "Silence": f"{__name__}.core.watch",
}
"""What the package offers → the module that holds it."""

__version__ = str(import_module(f"{__name__}.core.installed").VERSION)
__all__ = [*OFFERED, "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name not in OFFERED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(OFFERED[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
