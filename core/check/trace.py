"""What each module of a model got and gave in one pass, and where two passes differ.

In a second pass some positions must come out as in the first one. A module at fault is one whose
inputs are the same there and whose output is not: it let something in. Its output is put right
before the pass goes on, so that each further fault is found, too, and none is counted twice.

R texts (rows), L positions of a sequence.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..watch.follower import following_modules

Axes = tuple[tuple[str, ...], ...]
"""What each axis of a tensor counts: "batch", a side, or "" for else; two where they are merged."""
Place = tuple[str, int]
"""A module's name, and the number of its call."""
Noting = Callable[[Place, dict[str, Tensor]], None]
"""Receives what a module gets, or gives, in a call."""
Base = Mapping[Place, Mapping[str, Tensor]]
"""The first text's part of all that modules get and give in a pass."""
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

    @property
    def sizes(self) -> dict[str, int]:
        """Return the size of "batch" and of each side in the second pass."""
        lengths = {side: window.length for side, window in self.windows.items()}
        return {"batch": self.n_texts, **lengths}


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


class Trace:
    """Runs a model, and follows what its modules get and give.

    NaN is noted where it arises, and goes on as 0: else everything behind it would be NaN, too.
    """

    def __init__(
        self,
        model: nn.Module,
        one: Callable[[], object],
        other: Callable[[], object],
        sizes: Mapping[str, tuple[int, int]],
    ) -> None:
        """Find what the axes of all tensors count.

        Args:
            model: Any module.
            one: Runs it on a batch.
            other: Runs it on a batch of other sizes.
            sizes: "batch" and each side → its size in both passes.
        """
        self._modules = dict(model.named_modules())
        weights = [*model.parameters(), *model.buffers()]
        self._weights = {each.untyped_storage().data_ptr() for each in weights}
        self._axes: dict[Place, dict[str, Axes]] = {}
        self.not_a_number: dict[str, int] = {}
        """Module that makes NaN → the first position where it does."""
        self._axes = _axes_of(self._shapes(one), self._shapes(other), sizes)

    def _shapes(self, run: Callable[[], object]) -> dict[Place, dict[str, torch.Size]]:
        """Return the shape of each tensor that the modules get and give."""
        found: defaultdict[Place, dict[str, torch.Size]] = defaultdict(dict)

        def note(place: Place, tensors: dict[str, Tensor]) -> None:
            found[place].update({path: x.shape for path, x in tensors.items()})

        self._run(run, {}, note, note)
        return found

    def recorded(self, run: Callable[[], object], sizes: Mapping[str, int]) -> Base:
        """Return the first text's part of all that the modules get and give.

        Args:
            run: Runs the model.
            sizes: "batch" and each side → its size.
        """
        found: defaultdict[Place, dict[str, Tensor]] = defaultdict(dict)

        def note(place: Place, tensors: dict[str, Tensor]) -> None:
            for path, _, view in self.views(place, tensors, sizes):
                found[place][path] = view[0].clone()

        self._run(run, sizes, note, note)
        return found

    def differences(
        self, run: Callable[[], object], base: Base, expected: Expected
    ) -> list[Difference]:
        """Return the modules at fault in a second pass, in the order in which they end."""
        comparison = _Comparison(self, base, expected)
        self._run(run, expected.sizes, comparison.enter, comparison.leave)
        return comparison.found

    def views(
        self, place: Place, tensors: Mapping[str, Tensor], sizes: Mapping[str, int]
    ) -> Iterator[tuple[str, str, Tensor]]:
        """Yield each stream of vectors: where it stands, its side, and a view; see `_aligned`."""
        axes = self._axes.get(place, {})
        for path, x in tensors.items():
            found = _aligned(x, axes[path], sizes) if path in axes else None
            if found is not None:
                yield path, *found

    def may_change(self, x: Tensor) -> bool:
        """Return whether a tensor is no part of a weight, and has each number once in memory."""
        return 0 not in x.stride() and x.untyped_storage().data_ptr() not in self._weights

    def _run(
        self, run: Callable[[], object], sizes: Mapping[str, int], enter: Noting, leave: Noting
    ) -> None:
        """Run the model; call `enter` with the inputs of each call, `leave` with its outputs."""
        n_calls: Counter[str] = Counter()
        running: list[tuple[Place, bool]] = []
        """The modules that run now, and whether NaN comes in."""

        def before(
            name: str, _module: nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any]
        ) -> None:
            place = (name, n_calls[name])
            n_calls[name] += 1
            inputs = {f"in{path}": x for path, x in leaves([*args, kwargs])}
            running.append((place, any(_has_nan(x) for x in inputs.values())))
            enter(place, inputs)

        def after(_name: str, _module: nn.Module, _args: object, output: object) -> None:
            place, nan_comes_in = running.pop()
            outputs = {f"out{path}": x for path, x in leaves(output)}
            if not nan_comes_in:
                self._replace_nan(place, outputs, sizes)
            leave(place, outputs)

        with following_modules(self._modules, before, after):
            run()

    def _replace_nan(
        self, place: Place, outputs: Mapping[str, Tensor], sizes: Mapping[str, int]
    ) -> None:
        for path, x in outputs.items():
            if _has_nan(x):
                for _, _, is_nan in self.views(place, {path: x.isnan().float()}, sizes):
                    is_nan_L = is_nan.flatten(2).any(dim=2).any(dim=0)
                    self.not_a_number.setdefault(place[0], int(is_nan_L.nonzero()[0]))
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


def _axes_of(
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


def _aligned(x: Tensor, axes: Axes, sizes: Mapping[str, int]) -> tuple[str, Tensor] | None:
    """Return the side of a tensor's positions and a view of it as texts × positions × ….

    None for what is no stream of vectors: masks and weights, whole numbers, what no text has.
    """
    names = [name for axis in axes for name in axis]
    sides = [name for name in names if name not in ("", "batch")]
    if not x.is_floating_point() or len(sides) > 1 or not ("batch" in names or sides):
        return None
    for at, axis in reversed(list(enumerate(axes))):
        if len(axis) > 1:
            n_each = sizes.get(axis[1], x.shape[at] // sizes["batch"])
            if x.shape[at] != sizes["batch"] * n_each:
                return None
            x = x.unflatten(at, (sizes["batch"], n_each))
        elif axis != ("",) and x.shape[at] != sizes[axis[0]]:
            return None
    if not any(size > 1 for size, name in zip(x.shape, names, strict=True) if not name):
        return None
    x = x.movedim(names.index("batch"), 0) if "batch" in names else x[None]
    names = ["batch", *(name for name in names if name != "batch")]
    x = x.movedim(names.index(sides[0]), 1) if sides else x[:, None]
    return (sides[0] if sides else "", x)


class _Comparison:
    """Compares the calls of one pass with those of another."""

    def __init__(self, trace: Trace, base: Base, expected: Expected) -> None:
        self._trace, self._base, self._expected = trace, base, expected
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
            if right_RL.any() and self._trace.may_change(each.view):
                each.view[right_RL] = each.base.expand_as(each.view)[right_RL]

    def _compared(self, place: Place, tensors: Mapping[str, Tensor]) -> Iterator["_Compared"]:
        """Yield what can be compared: a part of each tensor beside the same part of the first."""
        base = self._base.get(place, {})
        for path, side, view in self._trace.views(place, tensors, self._expected.sizes):
            if path in base:
                yield _compared(side, view, base[path], self._expected)


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
