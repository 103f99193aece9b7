"""How settings are read, written and refused: the same for every config."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from reprlib import repr
from typing import Any, Self, get_args

from core.messages import Message, MessageError, error_text

LARGEST_NUMBER = 2**53
"""Up to here every whole number is one in float64 and in JavaScript, too."""


class ConfigError(MessageError, ValueError):
    """A setting that cannot be; the message names it, its value and what would do."""


_MOST_NAMED = 8


def require(condition: bool, template: str, /, **values: object) -> None:
    """Refuse what cannot be, with a `Message` that is made of a template and values.

    Raises:
        ConfigError: The condition does not hold.
    """
    if not condition:
        raise ConfigError(Message(template, **values))


def one_of(names: Sequence[str]) -> str:
    """Return names as a choice.

    >>> one_of(("post", "pre"))
    'post or pre'
    """
    return Message("{names} or {last}", names=", ".join(names[:-1]), last=names[-1])


def _fits(value: object, wanted: object) -> bool:
    """Say whether a value is of a setting's type; an int may stand for a float."""
    if wanted is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(value, tuple) and (kinds := get_args(wanted)):
        return all(_fits(each, kinds[0]) for each in value)
    return not isinstance(wanted, type) or type(value) is wanted


def _numbers(value: object) -> Iterable[int | float]:
    """Return the numbers that a value is, or holds."""
    values = value if isinstance(value, tuple) else (value,)
    return (each for each in values if isinstance(each, int | float))


class Settings:
    """A frozen dataclass of settings: reading and writing."""

    def check_types(self) -> None:
        """Refuse a value that is not of its setting's type, or a number without an end.

        Raises:
            ConfigError: There is one.
        """
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            wanted = getattr(field.type, "__name__", field.type)
            require(
                _fits(value, field.type),
                "{name} is {value}, not of type {wanted}",
                name=field.name,
                value=repr(value),
                wanted=wanted,
            )
            require(
                all(abs(each) <= LARGEST_NUMBER for each in _numbers(value)),
                "{name} is {value}, not a number up to {most}",
                name=field.name,
                value=repr(value),
                most=LARGEST_NUMBER,
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them."""
        return dataclasses.asdict(self)  # type: ignore[call-overload]

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        """Build from `to_dict`; a name that is not a setting is refused, never ignored.

        Raises:
            ConfigError: An unknown or missing name, or a value that cannot be.
        """
        known = {field.name for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        unknown = sorted(set(settings) - known)
        require(
            not unknown,
            "{name} has no setting {unknown}",
            name=cls.__name__,
            unknown=", ".join(map(str, unknown[:_MOST_NAMED])),
        )
        try:
            return cls(**settings)
        except TypeError as error:
            raise ConfigError("{name}: {why}", name=cls.__name__, why=error_text(error)) from error
