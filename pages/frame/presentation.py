"""Keys for whoever shows the app to others: arrows through a tour, P for a view that fills a room.

All of it happens in the browser: what is shown, and how, does not depend on who looks from afar.
"""

from collections.abc import Sequence
from pathlib import Path

_FILE = Path(__file__)
STYLE = f"<style>{_FILE.with_suffix('.css').read_text('utf-8')}</style>"
SCRIPT = f"<script>{_FILE.with_suffix('.js').read_text('utf-8')}</script>"
STEPS = "steps"
"""Not the key of an element: the buttons that go from step to step, in a component."""


def shown_too(keys: Sequence[str]) -> str:
    """Return a style that leaves these elements in sight, because a stop asks to click them.

    Args:
        keys: Those of the elements, or `STEPS`.
    """
    rules = [":root[data-presenting] { --steps: flex; }"] if STEPS in keys else []
    for key in keys:
        element = f':is(.st-key-{key}, [class*="st-key-{key}--"])'
        rules += [
            f"[data-presenting] .st-key-opening:has({element}) {{ display: flex; }}",
            f"[data-presenting] .stElementContainer{element} {{ display: block !important; }}",
            f"[data-presenting] .stVerticalBlock{element} {{ display: flex; }}",
        ]
    return f"<style>{' '.join(rules)}</style>"
