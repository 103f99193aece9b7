"""Reading, writing and checking of settings, shared by all configs."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from reprlib import repr
from string import Formatter
from typing import Any, Literal, Self, get_args, get_origin

from ..messages import Message, MessageError, error_text

LARGEST_NUMBER = 2**53
"""Up to here float64 and JavaScript represent every integer exactly."""
_MOST_NAMED = 8


class ConfigError(MessageError, ValueError):
    """An invalid setting; the message names it, its value and what is allowed."""


def require(condition: bool, template: str, /, **values: object) -> None:
    """Raise an error with a `Message` made of a template and values unless a condition holds.

    Raises:
        ConfigError: The condition does not hold.
    """
    if not condition:
        raise ConfigError(Message(template, **values))


def one_of(names: Sequence[str]) -> str:
    """Return names joined as alternatives.

    >>> one_of(("post", "pre"))
    'post or pre'
    """
    return Message("{names} or {last}", names=", ".join(names[:-1]), last=names[-1])


def _fits(value: object, kind: object) -> bool:
    """Say whether a value is of a setting's type; an int may stand for a float."""
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(value, tuple) and (kinds := get_args(kind)):
        return all(_fits(each, kinds[0]) for each in value)
    return not isinstance(kind, type) or type(value) is kind


def _numbers(value: object) -> Iterable[int | float]:
    values = value if isinstance(value, tuple) else (value,)
    return (each for each in values if isinstance(each, int | float))


class Settings:
    """A frozen dataclass of settings: reading, writing and checking."""

    def require(self, condition: bool, template: str, /, **values: object) -> None:
        """Raise an error unless a condition holds; {names} are filled from values, then settings.

        Raises:
            ConfigError: The condition does not hold.
        """
        if not condition:
            names = {name for _, name, _, _ in Formatter().parse(template) if name}
            settings = {name: getattr(self, name) for name in names - values.keys()}
            raise ConfigError(Message(template, **settings, **values))

    @classmethod
    @cache
    def choices(cls) -> dict[str, tuple[str, ...]]:
        """Return setting → allowed words; the dictionary is shared, so nobody may change it."""
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        return {
            each.name: get_args(each.type) for each in fields if get_origin(each.type) is Literal
        }

    def check_values(self) -> None:
        """Refuse a value of another type, a word that is not allowed, and a non-finite number.

        Raises:
            ConfigError: There is such a value.
        """
        choices = self.choices()
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            name, value = field.name, getattr(self, field.name)
            offered = choices.get(name, ())
            require(
                not offered or value in offered,
                "{name} is {value}, not {known}",
                name=name,
                value=repr(value),
                known=one_of(offered) if offered else "",
            )
            require(
                _fits(value, field.type),
                "{name} is {value}, not of type {wanted}",
                name=name,
                value=repr(value),
                wanted=getattr(field.type, "__name__", field.type),
            )
            require(
                all(abs(each) <= LARGEST_NUMBER for each in _numbers(value)),
                "{name} is {value}, not a number up to {most}",
                name=name,
                value=repr(value),
                most=LARGEST_NUMBER,
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as JSON values."""
        return dataclasses.asdict(self)  # type: ignore[call-overload]

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Self:
        """Build from `to_dict`; unknown names are refused, not ignored.

        Raises:
            ConfigError: An unknown or missing name, or an invalid value.
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
