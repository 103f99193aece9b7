"""The signs that numbers are written with, in the reader's language."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Signs:
    """What one language writes numbers with."""

    decimal: str = "."
    group: str = ","
    """Between thousands."""
    percent: str = "%"
    """Behind a number, with the space before it."""

    def in_text(self, number: str) -> str:
        """Return a number that is written in English as this language has it.

        >>> Signs(",", ".").in_text("12,000.5")
        '12.000,5'
        """
        return number.translate({ord("."): self.decimal, ord(","): self.group})

    def in_chart(self, specification: Mapping[str, Any]) -> dict[str, Any]:
        """Return a chart that writes all its numbers so; in English charts write by themselves.

        Args:
            specification: The whole chart, for Vega-Lite.
        """
        written = dict(specification)
        if self != ENGLISH:
            number = {
                "decimal": self.decimal,
                "thousands": self.group,
                "grouping": [3],
                "currency": ["", ""],
                "percent": self.percent,
            }
            config = written.get("config", {})
            written["config"] = {**config, "locale": {**config.get("locale", {}), "number": number}}
        return written


ENGLISH = Signs()
