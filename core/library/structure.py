"""What is found of a model's layers in one watched pass on a short text.

Which modules attend, which list of modules they stand in, what of a layer adds to the residual
stream in which order, and whether a norm follows the sum.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..heads import STACK_LABELS, Kind, Site, Stack, Sublayer
from ..messages import Message
from ..model.probe import Step
from ..watch import Seen, watch
from ..watch.follower import Function, following_modules
from .calls import Calls
from .checkpoint import OpeningError
from .tracing import AttentionSteps, ResidualSums, Run, Tracing, wrap

N_SOURCE, N_TARGET = 11, 7
"""Lengths of the texts that are watched: few other sizes are equal to these."""
_N_SENTENCES = 2


@dataclass(frozen=True)
class LayerPlan:
    """What one layer does, in order."""

    sites: tuple[Site, ...]
    """Of its sublayers."""
    post_norm: bool
    """Whether a norm follows each sum, and is what goes on."""
    attention_part: int | None
    """Where attention and feed-forward are summed before they are added: which of the two is the
    attention. None where each is added by itself."""
    n_outputs: int
    """Length of the tuple that the layer returns, the stream first; 0 for the stream alone."""
    n_parameters: tuple[int, ...]
    """Of each sublayer, with its norms."""


@dataclass(frozen=True)
class Structure:
    """What is known of a model's stacks."""

    plans: Mapping[Stack, tuple[LayerPlan, ...]]
    """In the order in which the layers run: a layer may run several times."""
    layers: tuple[str, ...]
    """Names of the modules that are layers."""
    attentions: Mapping[str, Sublayer]
    """Names of the modules that attend → what kind of sublayer that is."""
    outputs_HED: Mapping[Site, Tensor]
    """W^O, cut into the rows that read each head, of the attentions that have such a matrix."""
    n_heads: int
    d_k: int
    d_v: int
    d_model: int


def find_structure(calls: Calls, ids: Sequence[int]) -> Structure:
    """Watch two passes on a short text, and wrap what is found; see `tracing.wrap`.

    Args:
        calls: The model.
        ids: Tokens with which a text may be made.

    Raises:
        OpeningError: Its layers are of another form than is known here.
    """
    kinds: dict[str, Sublayer] = {}
    names = {name: module for name, module in calls.model.named_modules()}
    for stack, passing in _passes(calls, ids).items():
        with watch(calls.model) as seen, torch.inference_mode():
            passing()
        kinds |= _attending(seen, N_TARGET if stack == calls.stacks[-1] else N_SOURCE)
    lists = {_layer_of(name, names).rpartition(".")[0] for name in kinds}
    layers = [f"{each}.{number}" for each in sorted(lists) for number in range(len(names[each]))]
    for name in layers:
        wrap("layer", name, names[name])
    for name in kinds:
        wrap("attend", name, names[name])
    for embedding in calls.embeddings:
        wrap("embed", "", embedding)
    watching = _Watching(kinds)
    for stack, passing in _passes(calls, ids).items():
        watching.stack = stack
        heard = following_modules(names, watching.enter, watching.leave)
        with heard, watching, torch.inference_mode():
            passing()
        if not watching.finished[stack]:
            raise OpeningError(
                "no attention that can be followed was seen in its {stack}",
                stack=Message(STACK_LABELS[stack]),
            )
    return _structure(watching, layers)


@torch.inference_mode()
def _passes(calls: Calls, ids: Sequence[int]) -> dict[Stack, Callable[[], object]]:
    """Return a pass on short texts for each stack."""
    n = max(N_SOURCE, N_TARGET)
    rows = [[ids[(row + at) % len(ids)] for at in range(n)] for row in range(_N_SENTENCES)]
    texts = torch.tensor(rows, device=calls.model.device)
    source_BS, target_BT = texts[:, :N_SOURCE], texts[:, :N_TARGET]

    def encode(text: Tensor) -> Tensor:
        return calls.encode(text, torch.ones_like(text, dtype=torch.bool))

    memory_BSD = encode(source_BS) if len(calls.stacks) > 1 else None

    if calls.stacks[-1] == Kind.ENCODER_SELF.stack:
        return {calls.stacks[-1]: lambda: encode(target_BT)}
    first = {stack: lambda: encode(source_BS) for stack in calls.stacks[:-1]}
    return first | {calls.stacks[-1]: lambda: calls.decode(target_BT, memory_BSD, None)}


def _attending(seen: Mapping[str, Seen], n_queries: int) -> dict[str, Sublayer]:
    """Return the modules whose attention is over all positions → what kind of sublayer that is."""
    kinds = {N_SOURCE: Kind.CROSS.sublayer, n_queries: Kind.DECODER_SELF.sublayer}
    calls = {name: each.calls[0] for name, each in seen.items()}
    return {
        name: kinds[call.n_keys]
        for name, call in calls.items()
        if call.n_queries == n_queries and call.n_keys in kinds
    }


def _layer_of(name: str, names: Mapping[str, nn.Module]) -> str:
    """Return the outermost member of a list of modules around one."""
    parts = name.split(".")
    for at in range(1, len(parts)):
        if isinstance(names[".".join(parts[:at])], nn.ModuleList):
            return ".".join(parts[: at + 1])
    raise _no_layer(name)


def _no_layer(name: str) -> OpeningError:
    return OpeningError("{name} computes attention outside of a list of whole layers", name=name)


@dataclass(frozen=True)
class _Sum:
    """What was added to the stream."""

    to_normed: bool
    """Whether it was added to the norm of the stream."""
    attended: tuple[str, ...]
    """Names of the modules that attended since the last sum."""
    part: int | None
    """Where it was summed from two: which of them came out of the attention."""
    modules: tuple[tuple[str, ...], ...]
    """Names of the modules out of which it came; of two, those of the attention first."""


class _WatchedSums(ResidualSums):
    """The sums of a layer, with what ran before each."""

    def __init__(self, x_BKD: Tensor, watching: "_Watching") -> None:
        super().__init__(x_BKD)
        self.watching = watching
        self.found: list[_Sum] = []
        self.attended: list[str] = []
        self.modules: list[tuple[int, bool, str, nn.Module]] = []
        """Those with weights of their own: the sum before which they ran, whether they read the sum
        before that, their names."""
        self.last: Tensor | None = None
        self.mixed: tuple[Site, Tensor] | None = None
        """Where an attention mixed values that no matrix has read yet, and mixed_BHQE."""

    def __torch_function__(
        self, func: Function, types: object, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Note which matrix reads the heads' mixed values, one head after the other."""
        if self.mixed is not None and func.__name__ in ("linear", "addmm"):
            (site, mixed_BHQE), self.mixed = self.mixed, None
            if func.__name__ == "linear":
                read, matrix = args[0], (*args[1:], *(kwargs or {}).values())[0].T
            else:
                read, matrix = args[1:3]
            concatenated = mixed_BHQE.transpose(1, 2).flatten(2)
            if read.numel() == mixed_BHQE.numel() and torch.equal(
                read.reshape(concatenated.shape), concatenated
            ):
                self.watching.outputs_HED[site] = matrix.unflatten(0, (mixed_BHQE.shape[1], -1))
        return super().__torch_function__(func, types, args, kwargs)

    def added(self, x: Tensor, added: Tensor) -> Tensor:
        part, parts = None, [added]
        if self.attended and (summed := self.parts(added)):
            inside = [self.watching.is_of(each, self.attended[0]) for each in summed]
            if any(inside):
                part = inside.index(True)
                parts = [summed[part], summed[1 - part]]
        modules = tuple(tuple(self.watching.made_by(each)) for each in parts)
        self.found.append(_Sum(self.is_normed(x), tuple(self.attended), part, modules))
        self.attended.clear()
        self.last = super().added(x, added)
        return self.last


class _Watching(Tracing[_WatchedSums]):
    """Notes what the layers do."""

    stack: Stack
    """Whose pass it is."""

    def __init__(self, kinds: Mapping[str, Sublayer]) -> None:
        super().__init__()
        self.kinds = kinds
        self.finished: defaultdict[Stack, list[tuple[_WatchedSums, bool, int]]] = defaultdict(list)
        """Layers, whether a norm is the last of each, and how many values it returns."""
        self.shapes: dict[Step, torch.Size] = {}
        self.outputs_HED: dict[Site, Tensor] = {}
        self._made: dict[int, tuple[object, list[str]]] = {}
        """What came out of which modules."""

    def layer(self, name: str, run: Run, args: Sequence[Any]) -> Any:
        """Run a layer, and note what it adds to the stream."""
        sums = _WatchedSums(args[0], self)
        output = self.summed(sums, run, args)
        x, n = (output[0], len(output)) if isinstance(output, tuple | list) else (output, 0)
        if not sums.found or not sums.is_stream(x):
            raise OpeningError("{name} does not add to a stream of vectors", name=name)
        self.finished[self.stack].append((sums, sums.is_normed(x), n))
        return output

    def attend(self, name: str, run: Run, args: Sequence[Any]) -> Any:
        """Run a module that attends, and note the shapes in it."""

        def note(step: Step, tensor: Tensor) -> Tensor:
            shape = self.shapes.setdefault(step, tensor.shape)
            if step is Step.MIXED:
                self.sums[-1].attended.append(name)
                site = Site(self.stack, len(self.finished[self.stack]), self.kinds[name])
                self.sums[-1].mixed = site, tensor
            if step is Step.WEIGHTS and shape[1] != tensor.shape[1]:
                raise OpeningError("its layers differ in their numbers of heads")
            return tensor

        if not self.sums:
            raise _no_layer(name)
        steps = self.sums[-1].attention = AttentionSteps(note, _N_SENTENCES)
        output = run(*args)
        if not steps.is_done:
            raise OpeningError("{name} attends in a way that is not known here", name=name)
        return output

    def enter(self, name: str, module: nn.Module, args: Sequence[Any], _named: object) -> None:
        """Note a module with weights that runs in a layer."""
        if self.sums and any(True for _ in module.parameters(recurse=False)):
            sums = self.sums[-1]
            is_of_sum = bool(args) and args[0] is sums.last and sums.last is not None
            sums.modules.append((len(sums.found), is_of_sum, name, module))

    def leave(self, name: str, _module: nn.Module, _args: object, output: Any) -> None:
        for each in output if isinstance(output, tuple) else (output,):
            self._made.setdefault(id(each), (each, []))[1].append(name)

    def made_by(self, tensor: Tensor) -> list[str]:
        """Return the names of the modules out of which something came."""
        _, names = self._made.get(id(tensor), (None, []))
        return names

    def is_of(self, tensor: Tensor, attention: str) -> bool:
        """Say whether something came out of a module that attends, or of one around it."""
        return any(_is_inside(attention, name) for name in self.made_by(tensor))


def _structure(watching: _Watching, layers: Sequence[str]) -> Structure:
    plans = {
        stack: tuple(
            _plan(stack, number, *each, watching.kinds) for number, each in enumerate(finished)
        )
        for stack, finished in watching.finished.items()
    }
    [(sums, *_), *_] = watching.finished[watching.stack]
    return Structure(
        plans=plans,
        layers=tuple(layers),
        attentions=watching.kinds,
        outputs_HED=watching.outputs_HED,
        n_heads=watching.shapes[Step.WEIGHTS][1],
        d_k=watching.shapes[Step.QUERY][-1],
        d_v=watching.shapes[Step.MIXED][-1],
        d_model=sums.shape[-1],
    )


def _plan(
    stack: Stack,
    number: int,
    sums: _WatchedSums,
    ends_normed: bool,
    n_outputs: int,
    kinds: Mapping[str, Sublayer],
) -> LayerPlan:
    """Return what one layer does.

    Raises:
        OpeningError: It is of another form than is known here.
    """
    post_norm = {each.to_normed for each in sums.found[1:]} | {ends_normed}
    part = sums.found[0].part if len(sums.found) == 1 else None
    names: list[Sublayer] = []
    for found in sums.found:
        names += [kinds[name] for name in found.attended] or ["feed_forward"]
    if part is not None:
        names.append("feed_forward")
    if not any(found.attended for found in sums.found) and len(names) > 1:
        # What mixes positions without attention comes first.
        names[0] = "mixing"
    if (
        len(post_norm) > 1
        or "feed_forward" in names[:-1]
        or len(set(names)) < len(names)
        or len(names) != len(sums.found) + (part is not None)
    ):
        raise OpeningError(
            "layer {number} adds to the stream in a way that is not known here", number=number
        )
    sites = tuple(Site(stack, number, name) for name in names)
    return LayerPlan(sites, ends_normed, part, n_outputs, _counts(sums, len(sites), ends_normed))


def _counts(sums: _WatchedSums, n: int, post_norm: bool) -> tuple[int, ...]:
    """Return the number of parameters of each sublayer."""
    makers = [names for found in sums.found for names in found.modules]
    counts = [0] * n
    for at, is_of_sum, name, module in sums.modules:
        # After the sum, a norm of it belongs to what was added there.
        at -= is_of_sum and post_norm
        inside = [any(_is_inside(name, maker) for maker in names) for names in makers]
        place = inside.index(True) if any(inside) else min(at, n - 1)
        counts[place] += sum(each.numel() for each in module.parameters(recurse=False))
    return tuple(counts)


def _is_inside(name: str, outer: str) -> bool:
    """Say whether a module is another or one of its parts."""
    return f"{name}.".startswith(f"{outer}.")
