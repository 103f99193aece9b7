"""Where the project is: in a checkout, or installed as the package `seq2see`."""

from pathlib import Path

VERSION = "0.1.0"
ROOT = Path(__file__).resolve().parents[1]
INSTALLED = (ROOT / "__init__.py").exists()
COMMAND = "seq2see" if INSTALLED else "python -m core"
"""How the command line begins."""
GALLERY = ROOT / "gallery"
