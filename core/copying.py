"""What a model that copies words from its source can have beside it."""

from typing import Protocol

from core.settings import require
from core.vocabulary import FIRST_ID


class Copies(Protocol):
    """The settings of a model that matter for copying; see `core.config.ModelConfig`."""

    @property
    def pointer(self) -> bool:
        """Whether words are copied."""

    @property
    def shared_names(self) -> int:
        """How many tokens, the last ones, are read as one vector."""

    @property
    def cross(self) -> str:
        """How the decoder learns of the source."""

    @property
    def memory(self) -> str:
        """Which encoder layer it reads."""

    @property
    def alone(self) -> str | None:
        """The only stack; None where there are both."""

    @property
    def vocab_size(self) -> int:
        """Of the source."""

    @property
    def n_target_tokens(self) -> int:
        """Of the target."""


def check_copying(model: Copies) -> None:
    """Refuse settings of copying that do not go with the rest of a model.

    Raises:
        ConfigError: The message says what does not go together.
    """
    asked = {"pointer": model.pointer, "shared_names": model.shared_names}
    for name, value in asked.items():
        require(
            not value or (not model.alone and model.n_target_tokens == model.vocab_size),
            "{name} is {value}: it needs an encoder and a decoder with one vocabulary",
            name=name,
            value=value,
        )
    require(
        not model.pointer or model.cross == "attention",
        "pointer is True and cross is {cross}: what cross-attention looks at is copied",
        cross=model.cross,
    )
    require(
        not model.pointer or model.memory in ("last", "first"),
        "pointer is True and memory is {memory}: p_gen is made of what one "
        "encoder layer says of the words, and not of several",
        memory=model.memory,
    )
    most = max(0, model.vocab_size - FIRST_ID)
    require(
        0 <= model.shared_names <= most,
        "shared_names is {shared_names}, not 0 to {most}, the tokens that are words",
        shared_names=model.shared_names,
        most=most,
    )
