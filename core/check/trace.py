"""What each module of a model got and gave in one pass, and where two passes differ.

In a second pass some positions must come out as in the first one. A module at fault is one whose
inputs are the same there and whose output is not: it let something in. Its output is put right
before the pass goes on, so that each further fault is found, too, and none is counted twice.

R texts (rows), L positions of a sequence.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..watch.following import following_modules

Axes = tuple[tuple[str, ...], ...]
"""What each axis of a tensor counts: "batch", a side, or "" for else; two where they are merged."""
Place = tuple[str, int]
"""A module's name, and the number of its call."""
SAME_SHAPE, OTHER_SHAPE = 16, 4096
"""Rounding errors, in units of the last place, of passes of equal and of different shapes."""
LARGEST_TOLERANCE = 0.25


@dataclass(frozen=True, slots=True)
class Window:
    """Where the positions of one sequence in the second pass are those of the first."""

    length: int
    """Of the sequence in the second pass."""
    start: int
    """The first position in the second pass."""
    first: int
    """That position in the first pass."""
    protected_RL: Tensor
    """True for the positions from there on that must come out as in the first pass."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What must be the same in a second pass."""

    n_texts: int
    windows: Mapping[str, Window]
    """Side → its positions."""
    whole_R: Tensor
    """True for texts of which also what has no positions must be the same."""
    same_shape: bool


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """A module whose output is another one although its inputs are the same."""

    module: str
    side: str
    """The sequence of its positions; "" where it has none."""
    changed_RL: Tensor
    """True for protected positions that came out otherwise."""
    influenced_RL: Tensor
    """True for any position that came out otherwise."""

    @property
    def position(self) -> int:
        """The first position that came out otherwise."""
        return int(self.changed_RL.any(dim=0).nonzero()[0])


class Hooks:
    """Runs functions before and after each call of a module of a model.

    NaN is noted where it arises, and goes on as 0: else everything behind it would be NaN, too.
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        weights = [*model.parameters(), *model.buffers()]
        self._weights = {each.untyped_storage().data_ptr() for each in weights}
        self.not_a_number: dict[Place, dict[str, Tensor]] = {}
        """Where NaN arises: the outputs of a call in the last pass, 1 for NaN and else 0."""

    @contextmanager
    def around(
        self,
        enter: Callable[[Place, dict[str, Tensor]], None],
        leave: Callable[[Place, dict[str, Tensor]], None],
    ) -> Iterator[None]:
        """Call `enter` with the inputs of each call, and `leave` with its outputs."""
        n_calls: Counter[str] = Counter()
        running: list[tuple[Place, bool]] = []
        """The modules that run now, and whether NaN comes in."""
        self.not_a_number = {}

        def before(
            name: str, _module: nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any]
        ) -> None:
            place = (name, n_calls[name])
            n_calls[name] += 1
            inputs = {f"in{path}": x for path, x in leaves([*args, kwargs])}
            running.append((place, any(_has_nan(x) for x in inputs.values())))
            enter(place, inputs)

        def after(_name: str, _module: nn.Module, _args: object, output: object) -> None:
            place, comes_in = running.pop()
            outputs = {f"out{path}": x for path, x in leaves(output)}
            if not comes_in:
                self._replace_nan(place, outputs)
            leave(place, outputs)

        with following_modules(dict(self.model.named_modules()), before, after):
            yield

    def may_change(self, x: Tensor) -> bool:
        """Return whether a tensor is no part of a weight, and has each number once in memory."""
        return 0 not in x.stride() and x.untyped_storage().data_ptr() not in self._weights

    def _replace_nan(self, place: Place, outputs: Mapping[str, Tensor]) -> None:
        for path, x in outputs.items():
            if _has_nan(x):
                self.not_a_number.setdefault(place, {})[path] = x.isnan().float()
                if self.may_change(x):
                    x.nan_to_num_(nan=0.0, posinf=math.inf, neginf=-math.inf)


def _has_nan(x: Tensor) -> bool:
    return x.is_floating_point() and bool(x.isnan().any())


def leaves(value: object, path: str = "") -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors in nested containers and records, with where each stands."""
    if isinstance(value, Tensor):
        yield path, value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from leaves(each, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for at, each in enumerate(value):
            yield from leaves(each, f"{path}.{at}")
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from leaves(getattr(value, each.name), f"{path}.{each.name}")


def shapes_of(hooks: Hooks, run: Callable[[], object]) -> dict[Place, dict[str, torch.Size]]:
    """Run a model, and return the shape of each tensor that its modules get and give."""
    found: dict[Place, dict[str, torch.Size]] = {}

    def note(place: Place, tensors: dict[str, Tensor]) -> None:
        found.setdefault(place, {}).update({path: x.shape for path, x in tensors.items()})

    with hooks.around(note, note):
        run()
    return found


def axes_of(
    one: Mapping[Place, Mapping[str, torch.Size]],
    other: Mapping[Place, Mapping[str, torch.Size]],
    sizes: Mapping[str, tuple[int, int]],
) -> dict[Place, dict[str, Axes]]:
    """Return what the axes of all tensors count, from two passes over batches of other sizes.

    Args:
        one: The shapes in one pass.
        other: Those in the other pass.
        sizes: "batch" and each side → its size in both passes.
    """
    found: dict[Place, dict[str, Axes]] = {}
    for place in one.keys() & other.keys():
        found[place] = {}
        for path in one[place].keys() & other[place].keys():
            pairs = list(zip(one[place][path], other[place][path], strict=False))
            axes = [_counted(pair, sizes) for pair in pairs]
            if len(one[place][path]) == len(other[place][path]) and None not in axes:
                found[place][path] = tuple(each for each in axes if each is not None)
    return found


def _counted(pair: tuple[int, int], sizes: Mapping[str, tuple[int, int]]) -> tuple[str, ...] | None:
    """Return what an axis of these two sizes counts; None where nothing explains them."""
    if pair[0] == pair[1]:
        return ("",)
    for name, own in sizes.items():
        if pair == own:
            return (name,)
    texts = sizes["batch"]
    for side, lengths in sizes.items():
        if pair == (texts[0] * lengths[0], texts[1] * lengths[1]):
            return ("batch", side)
    whole = pair[0] % texts[0] == 0 and pair[1] % texts[1] == 0
    return ("batch", "") if whole and pair[0] // texts[0] == pair[1] // texts[1] else None


def aligned(
    x: Tensor, axes: Axes, n_texts: int, lengths: Mapping[str, int]
) -> tuple[str, Tensor] | None:
    """Return the side of a tensor's positions and a view of it as texts × positions × ….

    None for what is no stream of vectors: masks and weights, whole numbers, what no text has.
    """
    names = [name for axis in axes for name in axis]
    sides = [name for name in names if name not in ("", "batch")]
    sizes = {"batch": n_texts, **lengths}
    if not x.is_floating_point() or len(sides) > 1 or not ("batch" in names or sides):
        return None
    for at, axis in reversed(list(enumerate(axes))):
        if len(axis) > 1:
            n_each = x.shape[at] // n_texts if axis[1] == "" else lengths[axis[1]]
            if x.shape[at] != n_texts * n_each:
                return None
            x = x.unflatten(at, (n_texts, n_each))
        elif axis != ("",) and x.shape[at] != sizes[axis[0]]:
            return None
    if not any(size > 1 for size, name in zip(x.shape, names, strict=True) if not name):
        return None
    x = x.movedim(names.index("batch"), 0) if "batch" in names else x[None]
    names = ["batch", *(name for name in names if name != "batch")]
    x = x.movedim(names.index(sides[0]), 1) if sides else x[:, None]
    return (sides[0] if sides else "", x)


def recorded(
    hooks: Hooks,
    run: Callable[[], object],
    axes: Mapping[Place, Mapping[str, Axes]],
    n_texts: int,
    lengths: Mapping[str, int],
) -> dict[Place, dict[str, Tensor]]:
    """Run a model; return the first text's part of all that its modules get and give."""
    found: dict[Place, dict[str, Tensor]] = {}

    def note(place: Place, tensors: dict[str, Tensor]) -> None:
        for path, x in tensors.items():
            if path in axes.get(place, {}):
                view = aligned(x, axes[place][path], n_texts, lengths)
                if view is not None:
                    found.setdefault(place, {})[path] = view[1][0].clone()

    with hooks.around(note, note):
        run()
    return found


def differences(
    hooks: Hooks,
    run: Callable[[], object],
    axes: Mapping[Place, Mapping[str, Axes]],
    base: Mapping[Place, Mapping[str, Tensor]],
    expected: Expected,
) -> list[Difference]:
    """Run a model again; return the modules at fault, in the order in which they end."""
    comparison = _Comparison(axes, base, expected, hooks.may_change)
    with hooks.around(comparison.enter, comparison.leave):
        run()
    return comparison.found


class _Comparison:
    """Compares the calls of one pass with those of another."""

    def __init__(
        self,
        axes: Mapping[Place, Mapping[str, Axes]],
        base: Mapping[Place, Mapping[str, Tensor]],
        expected: Expected,
        may_change: Callable[[Tensor], bool],
    ) -> None:
        self._axes, self._base, self._expected = axes, base, expected
        self._may_change = may_change
        self._same_inputs_R: list[Tensor] = []
        self.found: list[Difference] = []

    def enter(self, place: Place, tensors: dict[str, Tensor]) -> None:
        """Note for which texts the inputs are those of the first pass."""
        same_R = torch.ones(self._expected.n_texts, dtype=torch.bool)
        for each in self._compared(place, tensors):
            same_R = same_R & ~(each.changed_RL & each.protected_RL).any(dim=1).cpu()
        self._same_inputs_R.append(same_R)

    def leave(self, place: Place, tensors: dict[str, Tensor]) -> None:
        """Note a module at fault, and put its output right."""
        same_R = self._same_inputs_R.pop()
        compared = list(self._compared(place, tensors))
        # Beside a stream it is a state that nothing may read, such as that behind the padding.
        has_stream = any(each.side for each in compared)
        for each in compared:
            if has_stream and not each.side:
                continue
            # What belongs to no text is the same for all of them.
            is_shared = len(each.view) == 1
            rows_R = same_R.all(dim=0, keepdim=True) if is_shared else same_R
            right_RL = each.protected_RL & rows_R.to(each.view.device)[:, None]
            wrong_RL = each.changed_RL & right_RL
            if wrong_RL.any():
                found = Difference(place[0], each.side, wrong_RL.cpu(), each.changed_RL.cpu())
                self.found.append(found)
            if right_RL.any() and self._may_change(each.view):
                each.view[right_RL] = each.base.expand_as(each.view)[right_RL]

    def _compared(self, place: Place, tensors: Mapping[str, Tensor]) -> Iterator["_Compared"]:
        """Yield what can be compared: a part of each tensor beside the same part of the first."""
        axes, base = self._axes.get(place, {}), self._base.get(place, {})
        expected = self._expected
        lengths = {side: window.length for side, window in expected.windows.items()}
        for path in tensors.keys() & axes.keys() & base.keys():
            found = aligned(tensors[path], axes[path], expected.n_texts, lengths)
            if found is not None:
                side, view = found
                yield _compared(side, view, base[path], expected)


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    side: str
    view: Tensor
    """A part of a tensor of the second pass, texts × positions × …."""
    base: Tensor
    """The same positions in the first pass."""
    changed_RL: Tensor
    protected_RL: Tensor


def _compared(side: str, view: Tensor, base: Tensor, expected: Expected) -> _Compared:
    """Compare a tensor with that of the first pass."""
    if side:
        window = expected.windows[side]
        n = window.protected_RL.shape[1]
        view = view[:, window.start : window.start + n]
        base, protected_RL = base[window.first : window.first + n], window.protected_RL
    else:
        protected_RL = expected.whole_R[:, None]
    protected_RL = protected_RL.to(view.device)
    if len(view) == 1:
        protected_RL = protected_RL.any(dim=0, keepdim=True)
    units = SAME_SHAPE if expected.same_shape else OTHER_SHAPE
    tolerance = min(units * torch.finfo(view.dtype).eps, LARGEST_TOLERANCE)
    size_L = base.flatten(1).abs().amax(dim=1)
    size_L = size_L.clamp(min=float(size_L.max()) * 1e-3 + 1e-30)
    # Both may be infinite.
    away = torch.where(view == base, 0.0, (view - base).abs())
    changed_RL = away.flatten(2).amax(dim=2) > tolerance * size_L
    return _Compared(side, view, base, changed_RL, protected_RL)
