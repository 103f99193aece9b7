"""Heads and sublayers: their names, and the sides of a translation that attend to each other.

The only place that knows the query side and the key side of each kind of attention. One
text form in links, files, on the command line and in messages: `encoder.2.self:0`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, Self, get_args

from .messages import N_

Stack = Literal["encoder", "decoder"]
Side = Literal["source", "target"]
Sublayer = Literal["self", "cross", "recurrent", "mixing", "feed_forward", "embedding", "length"]


class Kind(StrEnum):
    """A kind of attention: a head's rows are the tokens that look, its columns those looked at.

    >>> Kind.CROSS.query_side, Kind.CROSS.key_side, Kind.CROSS.causal
    ('target', 'source', False)
    """

    ENCODER_SELF = "encoder.self"
    DECODER_SELF = "decoder.self"
    CROSS = "decoder.cross"

    @property
    def stack(self) -> Stack:
        """Stack whose layers have it."""
        return "encoder" if self is Kind.ENCODER_SELF else "decoder"

    @property
    def sublayer(self) -> Sublayer:
        """Name of its sublayers within a layer."""
        return "cross" if self is Kind.CROSS else "self"

    @property
    def query_side(self) -> Side:
        """Whose tokens look."""
        return _SIDES[self.stack]

    @property
    def key_side(self) -> Side:
        """Whose tokens are looked at."""
        return "source" if self is Kind.CROSS else self.query_side

    @property
    def sides(self) -> tuple[Side, Side]:
        """Query side and key side."""
        return self.query_side, self.key_side

    @property
    def is_self(self) -> bool:
        """Whether a sequence looks at itself."""
        return self.query_side == self.key_side

    @property
    def causal(self) -> bool:
        """Whether a query sees nothing later than itself."""
        return self is Kind.DECODER_SELF

    @property
    def label(self) -> str:
        """Short label; a message to translate."""
        return _LABELS[self]

    @property
    def full_label(self) -> str:
        """Label within a sentence; a message to translate."""
        return _FULL_LABELS[self]

    @property
    def sublayer_label(self) -> str:
        """Label without the stack; a message to translate."""
        return N_("self-attention") if self.is_self else N_("cross-attention")

    @classmethod
    def self_of(cls, stack: Stack) -> "Kind":
        """Return the self-attention of a stack."""
        return cls(f"{stack}.self")

    def site(self, layer: int) -> "Site":
        """Return its sublayer in a layer."""
        return Site(self.stack, layer, self.sublayer)


STACK_LABELS: Mapping[Stack, str] = {"encoder": N_("encoder"), "decoder": N_("decoder")}
"""Labels of the stacks; messages to translate."""
_SIDES: Mapping[Stack, Side] = {"encoder": "source", "decoder": "target"}
_LABELS = {
    Kind.ENCODER_SELF: N_("encoder self"),
    Kind.DECODER_SELF: N_("decoder self"),
    Kind.CROSS: N_("cross"),
}
_FULL_LABELS = {
    Kind.ENCODER_SELF: N_("encoder self-attention"),
    Kind.DECODER_SELF: N_("decoder self-attention"),
    Kind.CROSS: N_("cross-attention"),
}
# Nine digits are enough for any model, and quick to parse.
_SITE = re.compile(r"(encoder|decoder)\.([0-9]{1,9})\.([a-z_]+)")
# Older links and files have a full stop.
_HEAD = re.compile(r"(.+)[:.]([0-9]{1,9})")


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """Location of a sublayer in the model; an embedding belongs to layer 0.

    >>> str(Site("encoder", 2, "self")), Site.parse("decoder.0.cross").layer
    ('encoder.2.self', 0)
    """

    stack: Stack
    layer: int
    sublayer: Sublayer

    def __str__(self) -> str:
        return f"{self.stack}.{self.layer}.{self.sublayer}"

    @property
    def is_attention(self) -> bool:
        """Whether it has heads."""
        return self.sublayer in ("self", "cross")

    @property
    def is_self(self) -> bool:
        """Whether a sequence looks at itself there."""
        return self.sublayer == "self"

    @property
    def attention(self) -> Kind:
        """The kind of attention, whatever its layer.

        Raises:
            ValueError: It is not an attention.
        """
        if not self.is_attention:
            raise ValueError(f"{self} is no attention")
        return Kind(f"{self.stack}.{self.sublayer}")

    @property
    def side(self) -> Side:
        """Side whose tokens go through it; in attention, the query side."""
        return _SIDES[self.stack]

    @property
    def in_encoder(self) -> bool:
        """Whether it belongs to the encoder, which runs once for a source."""
        return self.stack == "encoder"

    def heads(self, n_heads: int) -> tuple["Head", ...]:
        """Return its heads."""
        return tuple(Head(self, index) for index in range(n_heads))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `stack.layer.sublayer`.

        Raises:
            ValueError: The text is not a site; the message shows one.
        """
        match _SITE.fullmatch(text):
            case re.Match() as found if _exists(found[1], found[3]):
                return cls(found[1], int(found[2]), found[3])
        raise ValueError(f"{text!r} is not a site such as encoder.1.self or decoder.0.cross")


@dataclass(frozen=True, slots=True, order=True)
class Head:
    """One attention head.

    >>> str(Head(Site("encoder", 2, "self"), 0)), Head.parse("encoder.2.self:0").index
    ('encoder.2.self:0', 0)
    """

    site: Site
    index: int
    """Index among the heads of its sublayer."""

    def __str__(self) -> str:
        return f"{self.site}:{self.index}"

    @property
    def kind(self) -> Kind:
        """The kind of attention."""
        return self.site.attention

    @property
    def layer(self) -> int:
        """Layer of its stack."""
        return self.site.layer

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `stack.layer.sublayer:index`, or, as older links have it, with a full stop.

        >>> Head.parse("encoder.2.self.0") == Head.parse("encoder.2.self:0")
        True

        Raises:
            ValueError: The text is no head; the message shows one.
        """
        found = _HEAD.fullmatch(text)
        try:
            site = Site.parse(found[1]) if found else None
        except ValueError:
            site = None
        if found is None or site is None or not site.is_attention:
            raise ValueError(f"{text!r} is not a head such as encoder.1.self:0")
        return cls(site, int(found[2]))

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """Read the head that an entry of a JSON file is about.

        Older files store site and index separately: `{"site": "encoder.2.self", "head": 0}`.

        Raises:
            KeyError: The entry names no head.
            ValueError: The head is invalid.
        """
        if "site" not in stored:
            return cls.parse(str(stored["head"]))
        if type(stored["head"]) is not int:
            raise ValueError(f"{stored['head']!r} is not the number of a head")
        return cls.parse(f"{stored['site']}:{stored['head']}")


def _exists(stack: str, sublayer: str) -> bool:
    """Say whether a stack has such sublayers: an encoder looks at no other sequence."""
    of_one = {"cross": "decoder", "length": "encoder"}
    return sublayer in get_args(Sublayer) and of_one.get(sublayer, stack) == stack
