"""Watching a model: the context manager, and what it has seen under the names of the modules."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from difflib import get_close_matches
from types import TracebackType
from typing import Self

import torch
from torch import nn

from .changes import Change
from .follower import following_modules
from .interception import Frame, Interception, Place
from .seen import Seen
from .tokens import Pass, Tokenizer, tokens_among, writer

_HIDING = re.compile("flash|flex")
"""Of the attention functions of `transformers`, those that call no function of torch."""


class Watch(Mapping[str, Seen]):
    """Records every attention of a model while it is open, under the names of its modules.

    Nothing is left on the model when it closes, and the model computes what it would otherwise. The
    model may be called, and may `generate`, as often as one likes, in one thread.

    >>> layer = nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
    >>> with Watch(layer) as seen:
    ...     _ = layer(torch.randn(1, 5, 8))
    >>> list(seen), seen["self_attn"].weights.shape
    (['self_attn'], torch.Size([1, 2, 5, 5]))
    """

    def __init__(
        self,
        model: nn.Module,
        tokenizer: Tokenizer | Callable[[int], str] | None = None,
        changes: Sequence[Change] = (),
    ) -> None:
        """Prepare to watch; see `watch`."""
        _check_can_be_seen(model)
        self.model = model
        self._names = {_plain(name): module for name, module in model.named_modules()}
        for change in changes:
            if change.module not in self._names:
                meant = _close(change.module, self._names)
                raise ValueError(f"The model has no module {change.module!r}.{meant}")
        self._written = writer(tokenizer)
        self._changes = changes
        self._frames: list[Frame] = []
        self._n_noted = 0
        """Frames from the outermost on whose tokens are noted."""
        self._passes: list[Pass] = []
        self._seen: dict[str, Seen] = {}
        self._open, self._pass = ExitStack(), ExitStack()
        """What ends with the watching, and what with a pass."""

    def __enter__(self) -> Self:
        """Begin to watch."""
        if "torch._dynamo" in sys.modules:
            # A compiled model runs as it is written meanwhile: kernels that were made before have
            # no functions to see.
            self._open.enter_context(torch.compiler.set_stance("force_eager"))
        attending = {name: each for name, each in self._names.items() if _may_attend(each)}
        self._open.enter_context(following_modules(attending, self._enter, self._leave))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove every hook, also where a pass was interrupted.

        Raises:
            ValueError: A change had no effect, as its module computed no attention.
        """
        self._frames.clear()
        self._pass.close()
        self._open.close()
        for change in self._changes:
            if self._passes and kind is None and change.module not in self._seen:
                raise ValueError(
                    f"Nothing was changed: {change.module!r} computed no attention."
                    + _close(change.module, self._seen)
                )

    def __getitem__(self, name: str) -> Seen:
        """Return what was seen at a module.

        Raises:
            KeyError: It computed no attention; the message has the names that are most like it.
        """
        if name not in self._seen:
            raise KeyError(f"no attention was seen at {name!r}.{_close(name, self._seen)}")
        return self._seen[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the modules that attended, in the order in which they did first."""
        return iter(self._seen)

    def __len__(self) -> int:
        """Number of modules that attended."""
        return len(self._seen)

    def __repr__(self) -> str:
        """Name the modules that attended."""
        seen = ", ".join(self._seen) or "no attention seen"
        return f"<{type(self).__name__} of {type(self.model).__name__}: {seen}>"

    def _enter(
        self, name: str, module: nn.Module, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> None:
        """Note that a module runs; intercept from the outermost on."""
        if not self._frames:
            caches = [v for v in (*args, *kwargs.values()) if hasattr(v, "get_seq_length")]
            # A sum, as a cache of fixed size counts in place, on the device.
            first = caches[0].get_seq_length() + 0 if caches else 0
            self._passes.append(Pass(len(self._passes), first, has_cache=bool(caches)))
            self._pass.enter_context(Interception(self._place))
        # The arguments are not looked at before something attends: here each look is intercepted.
        self._frames.append(Frame(name, module, args, kwargs))

    def _leave(self, *_call: object) -> None:
        self._frames.pop()
        self._n_noted = min(self._n_noted, len(self._frames))
        if not self._frames:
            self._pass.close()

    def _place(self, n_queries: int, n_keys: int) -> Place:
        """Return where the model is; notice a cache that is not one of `transformers`."""
        name, of_pass = self._frames[-1].name, self._passes[-1]
        for frame in self._frames[self._n_noted :]:
            tokens = tokens_among(frame.arguments())
            if tokens:
                of_pass.tokens.setdefault(frame.name, []).extend(tokens)
        self._n_noted = len(self._frames)
        seen = self._seen.setdefault(name, Seen(name, self._passes, self._written))
        n_before = n_keys - n_queries
        if n_before > 0 and seen.calls and not (of_pass.has_cache or seen.calls[-1].crosses):
            before = seen.calls[-1]
            if n_before == before.first + before.n_queries:
                of_pass.first, of_pass.has_cache = n_before, True
        changes = [change for change in self._changes if change.module == name]
        return Place(seen, of_pass, tuple(self._frames), changes, n_queries, n_keys)


def watch(
    model: nn.Module,
    tokenizer: Tokenizer | Callable[[int], str] | None = None,
    changes: Sequence[Change] = (),
) -> Watch:
    """Watch a model: any torch module, with fused kernels or without.

    Args:
        model: Runs as before, on its device and in its precision; a compiled model is not compiled
            meanwhile.
        tokenizer: Names the rows and columns of the maps: a tokenizer of `transformers`, or a
            function from an id to its text; without it they are numbers.
        changes: What to change in the attention of which module: `Silence`, `Override`, `Patch`.

    Returns:
        A context manager and a mapping: the name of each module that attends → what was seen there.

    Raises:
        ValueError: The model's attention cannot be seen; the message says what to do.
    """
    return Watch(model, tokenizer, changes)


def _check_can_be_seen(model: nn.Module) -> None:
    if any(isinstance(module, torch.jit.ScriptModule) for module in model.modules()):
        raise ValueError(
            "A TorchScript model runs outside of Python, where nothing can be seen; "
            "watch the module that it was made of."
        )
    for module in model.modules():
        kernel = getattr(getattr(module, "config", None), "_attn_implementation", None)
        if _HIDING.search(str(kernel)):
            raise ValueError(
                f"The kernel {kernel!r} shows nothing of its weights; call "
                'model.set_attn_implementation("sdpa") first.'
            )


def _close(name: str, names: Iterable[str]) -> str:
    """Return a question whether other names are meant, or nothing where none is like it."""
    close = get_close_matches(name, names, n=3, cutoff=0.3)
    return f" Do you mean {' or '.join(map(repr, close))}?" if close else ""


def _plain(name: str) -> str:
    """Return a module's name without the wrapper of `torch.compile`.

    >>> _plain("_orig_mod.layers.0._orig_mod")
    'layers.0'
    """
    return ".".join(part for part in name.split(".") if part != "_orig_mod")


def _may_attend(module: nn.Module) -> bool:
    """Whether a module may call an attention: torch's own layers without parts do not."""
    return any(module.children()) or not type(module).__module__.startswith("torch.nn.")
