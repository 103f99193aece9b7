"""Explanations longer than a line, to be translated where they are shown."""

from core.heads import Kind
from pages.frame.language import _ as _
from pages.frame.language import duration as duration
from pages.frame.language import percent as percent
from pages.frame.language import plain as plain

ATTENTIONS = {kind: kind.label for kind in Kind}
"""Kind of attention → what it is called in a word or two."""
