"""Attention of any model as a picture: in a notebook, or as one file that needs no network.

L layers, H heads, Q queries, K keys; B batch.
"""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

if TYPE_CHECKING:
    from core.heads import Kind
    from core.watch import Call, Change, Seen, Tokenizer, Watch
    from viz.component.assets import assets_of
    from viz.component.page import component_html, page_html
    from viz.component.payload import TokenLabel
    from viz.plane.maps import AttentionMaps, Patches, pack
else:
    from .core.heads import Kind
    from .core.watch import Call, Change, Seen, Tokenizer, Watch
    from .viz.component.assets import assets_of
    from .viz.component.page import component_html, page_html
    from .viz.component.payload import TokenLabel
    from .viz.plane.maps import AttentionMaps, Patches, pack

_OUTPUTS = {
    "encoder_attentions": Kind.ENCODER_SELF,
    "decoder_attentions": Kind.DECODER_SELF,
    "cross_attentions": Kind.CROSS,
    "attentions": None,
}
"""What the outputs of `transformers` call their weights."""

_OF_ONE_MAP = {"grid.one": "The one map", "head": "map", "head.short": "", "layer.short": ""}
"""Of which head it is, an array does not say; it may be the mean of many."""
_MOST_BESIDE = 5
"""Tokens that stand beside those of an image's patches: of a class, and registers."""
_LONGEST_SIDE = 256
"""Pixels of an image that is shown."""

# A notebook shows a page within a frame, which does not know how tall the page is, nor whether the
# notebook is dark: its text is light then.
_FITTED = """<script>
  const page = document.documentElement;
  const fit = () => { frameElement.style.height = `${page.offsetHeight}px`; };
  const isDark = () => {
    const paint = document.createElement("canvas").getContext("2d");
    paint.fillStyle = getComputedStyle(frameElement).color;
    paint.fillRect(0, 0, 1, 1);
    return paint.getImageData(0, 0, 1, 1).data[1] > 127;
  };
  if (frameElement) {
    new ResizeObserver(fit).observe(page);
    frameElement.style.colorScheme = isDark() ? "dark" : "light";
  }
</script>"""


@dataclass(frozen=True)
class Maps:
    """The heads of layers that are alike.

    Attributes:
        kind: Which attention, for the tints of the tokens.
        name: What the layers are called; {layer} stands for the number of one.
        weights_LHQK: Each 0 to 1.
        visible_QK: True where any head may look.
        rows: One text for each query.
        columns: One text for each key.
        remark: What else is to be known; stands below the heads.
        selected: Layer and head that are shown large.
        patches: The patches of an image, where the last columns stand for them.
    """

    kind: Kind
    name: str
    weights_LHQK: NDArray[np.float32]
    visible_QK: NDArray[np.bool_]
    rows: Sequence[str]
    columns: Sequence[str]
    remark: str = ""
    selected: tuple[int, int] = (0, 0)
    patches: Patches | None = None

    def attention_maps(self) -> AttentionMaps:
        """Return them as the component of the app draws them."""
        is_one = self.weights_LHQK.shape[:2] == (1, 1)
        texts = {
            f"title.{self.kind}": self.name if is_one else f"{self.name}, head {{head}}",
            f"picture.{self.kind}": f"{self.name}, heads: {{n}}",
            "query": "query: the token that looks",
            "key": "key: the token looked at",
            **(_OF_ONE_MAP if is_one else {}),
        }
        return AttentionMaps(
            kind=self.kind.value,
            sides=self.kind.sides,
            weights=self.weights_LHQK,
            visible=self.visible_QK,
            queries=[TokenLabel(text) for text in self.rows],
            keys=[TokenLabel(text) for text in self.columns],
            finding=self.remark,
            selected=self.selected,
            patches=self.patches,
            texts=texts,
        )


@dataclass(frozen=True)
class Picture:
    """Attention maps that show themselves in a notebook."""

    title: str
    maps: Sequence[Maps]

    def page(self, whole: bool = True) -> str:
        """Return a page of HTML that needs nothing else.

        Args:
            whole: With all weights of all heads, however many there are.
        """
        pictures = [
            component_html(assets_of("plane"), pack(maps.attention_maps(), whole=whole), number)
            for number, maps in enumerate(self.maps)
        ]
        return page_html(self.title, {}, "\n".join([*pictures, _FITTED]))

    def save(self, path: str | Path) -> None:
        """Write the page into a file: "attention.html"."""
        Path(path).write_text(self.page(), encoding="utf-8")

    def _repr_html_(self) -> str:
        page = html.escape(self.page(whole=False))
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 640px; border: 0"></iframe>'


def attention(
    weights: Any,  # noqa: ANN401
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    *,
    batch: int = 0,
    head: tuple[int, int] = (0, 0),
) -> Picture:
    """Show attention weights: an array, or what a model of `transformers` returned.

    Args:
        weights: An array of numpy or torch: queries × keys, heads × queries × keys, or layers ×
            heads × queries × keys; a list of layers, each batch × heads × queries × keys; or an
            output with `attentions`, or with `encoder_attentions`, `decoder_attentions` and
            `cross_attentions`, of a forward pass or of `generate`.
        rows: One text for each query, of the target where there are two texts; else numbers.
        columns: One text for each key, of the source where there are two texts; else those of the
            rows, as in self-attention.
        batch: Which sentence of a batch.
        head: The layer and the head to show large first.

    Raises:
        ValueError: The weights are not between 0 and 1, or their number does not fit the texts.
    """
    named = [
        (kind, getattr(weights, name))
        for name, kind in _OUTPUTS.items()
        if getattr(weights, name, None) is not None
    ]
    maps = [
        _maps_of_layers(_layers(layers, batch), kind, rows, columns, head)
        for kind, layers in named or [(None, weights)]
    ]
    return Picture("Attention", maps)


def _maps_of_layers(
    weights_LHQK: NDArray[np.float32],
    kind: Kind | None,
    rows: Sequence[str],
    columns: Sequence[str],
    selected: tuple[int, int],
) -> Maps:
    name = "layer {layer}" if len(weights_LHQK) > 1 else "attention"
    if kind is not None:
        name = f"{kind.full_label}, layer {{layer}}"
    visible_QK = weights_LHQK.max(axis=(0, 1)) > 0.0
    kind = kind or _kind_of(visible_QK, rows, columns)
    if kind.is_self:
        rows = columns = (columns or rows) if kind is Kind.ENCODER_SELF else (rows or columns)
    n_queries, n_keys = visible_QK.shape
    row_texts, column_texts = _texts(rows, n_queries, "rows"), _texts(columns, n_keys, "columns")
    return Maps(kind, name, weights_LHQK, visible_QK, row_texts, column_texts, selected=selected)


def _kind_of(visible_QK: NDArray[np.bool_], rows: Sequence[str], columns: Sequence[str]) -> Kind:
    """Return which attention an array is of, from its shape, its zeros and its texts."""
    n_queries, n_keys = visible_QK.shape
    if n_queries != n_keys or (rows and columns and list(rows) != list(columns)):
        return Kind.CROSS
    return Kind.ENCODER_SELF if np.triu(visible_QK, 1).any() else Kind.DECODER_SELF


def _texts(texts: Sequence[str], count: int, name: str) -> Sequence[str]:
    """Return texts for rows or columns, numbers without any.

    Raises:
        ValueError: There are more or fewer texts than rows or columns.
    """
    if texts and len(texts) != count:
        raise ValueError(f"The map has {count} {name}, and there are {len(texts)} texts for them.")
    return texts or [str(i) for i in range(count)]


def _layers(weights: Any, batch: int) -> NDArray[np.float32]:  # noqa: ANN401
    """Return weights_LHQK of one sentence, however they come; see `attention`."""
    if isinstance(weights, tuple | list) and isinstance(weights[0], tuple | list):
        return _joined_steps([_layers(step, batch) for step in weights])
    if isinstance(weights, tuple | list):
        return np.stack([_array(layer)[batch] for layer in weights])
    array = _array(weights)
    return array.reshape((1,) * (4 - array.ndim) + array.shape)


def _joined_steps(steps: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return the rows of all steps of a generation as one map, wide enough for the last."""
    n_keys = max(step.shape[-1] for step in steps)
    widths = [[(0, 0)] * 3 + [(0, n_keys - step.shape[-1])] for step in steps]
    return np.concatenate(
        [np.pad(step, width) for step, width in zip(steps, widths, strict=True)], axis=2
    )


def _array(values: Any) -> NDArray[np.float32]:  # noqa: ANN401
    if isinstance(values, Tensor):
        values = values.detach().float().cpu().numpy()
    return np.asarray(values, dtype=np.float32)


@dataclass
class _Images:
    """What a model's convolutions made of images: the patches, unless they come from elsewhere.

    Attributes:
        shapes: Of all their outputs, rows × columns.
        last_BCYX: The last image, as the model read it.
    """

    shapes: list[tuple[int, int]] = field(default_factory=list)
    last_BCYX: Tensor | None = None

    def note(self, _module: nn.Module, args: tuple[Tensor, ...], output: Tensor) -> None:
        """Note one call of a convolution."""
        height, width = output.shape[-2:]
        self.shapes.append((height, width))
        if args[0].shape[1] in (1, 3):
            self.last_BCYX = args[0]

    def patches(self, n_keys: int, batch: int) -> Patches | None:
        """Return the patches that the keys stand for; None where the keys are no patches."""
        for height, width in reversed(self.shapes):
            if 1 < height * width <= n_keys <= height * width + _MOST_BESIDE:
                return Patches((height, width), self._pixels(batch))
        return None

    def _pixels(self, batch: int) -> NDArray[np.uint8] | None:
        """Return the image, from its darkest value to its lightest."""
        if self.last_BCYX is None:
            return None
        step = -(-max(self.last_BCYX.shape[-2:]) // _LONGEST_SIDE)
        image_CYX = _array(self.last_BCYX[batch, :, ::step, ::step])
        image_CYX = (image_CYX - image_CYX.min()) / max(float(np.ptp(image_CYX)), 1e-9)
        image_YX3 = np.broadcast_to(image_CYX, (3, *image_CYX.shape[1:])).transpose(1, 2, 0)
        return np.rint(255 * image_YX3).astype(np.uint8)


class Watched(Watch):
    """What was seen of a model, as a mapping and as a picture."""

    def __enter__(self) -> Self:
        """Begin to watch, the patches of images too."""
        self._images = _Images()
        for module in self.model.modules():
            if isinstance(module, nn.Conv2d):
                self._open.callback(module.register_forward_hook(self._images.note).remove)
        return super().__enter__()

    def picture(self, batch: int = 0) -> Picture:
        """Return all that was seen last at each module, layers that are alike together.

        Args:
            batch: Which sentence of the batch.

        Raises:
            ValueError: No attention was seen.
        """
        if not self:
            raise ValueError(f"No attention of {type(self.model).__name__} was seen.")
        alike: dict[tuple[object, ...], list[_Layer]] = {}
        for layer in _layers_of(self.values()):
            alike.setdefault(layer.key, []).append(layer)
        maps = [_maps_of_calls(layers, batch, self._images) for layers in alike.values()]
        return Picture(f"Attention of {type(self.model).__name__}", maps)

    def save(self, path: str | Path, batch: int = 0) -> None:
        """Write the picture into a file that needs no network: "attention.html"."""
        self.picture(batch).save(path)

    def _repr_html_(self) -> str | None:
        # Without a picture, a notebook shows the text instead.
        return self.picture()._repr_html_() if self else None


def watch(
    model: nn.Module,
    tokenizer: Tokenizer | Callable[[int], str] | None = None,
    changes: Sequence[Change] = (),
) -> Watched:
    """Watch the attention of a model: any torch module, with fused kernels or without.

    `with watch(model, tokenizer) as seen: model.generate(**inputs)`; then `seen` shows itself in a
    notebook, `seen.save("attention.html")` writes the same as a file, and `seen[name].weights` are
    the weights_BHQK of the module of that name.

    Args:
        model: Runs as before, on its device and in its precision.
        tokenizer: Names the tokens: a tokenizer of `transformers`, or a function from an id to its
            text; without it they are numbers.
        changes: What to change in the attention of which module: `Silence`, `Override`, `Patch`.

    Raises:
        ValueError: The model's attention cannot be seen; the message says what to do.
    """
    return Watched(model, tokenizer, changes)


@dataclass(frozen=True)
class _Layer:
    """One attention of a model: a module, or one of several calls of it in a pass."""

    name: str
    seen: Seen
    call: Call

    @property
    def kind(self) -> Kind:
        """Which attention it is, from what its queries may look at."""
        if self.call.crosses:
            return Kind.CROSS
        return Kind.DECODER_SELF if self.call.is_causal else Kind.ENCODER_SELF

    @property
    def key(self) -> tuple[object, ...]:
        """What layers have in common that are shown together."""
        return re.sub(r"\d+", "#", self.name), self.kind, self.call.weights_BHQK.shape[1:]


def _layers_of(modules: Iterable[Seen]) -> Iterator[_Layer]:
    for seen in modules:
        calls = seen.maps()
        for number, call in enumerate(calls):
            name = seen.name if len(calls) == 1 else f"{seen.name}, call {number}"
            yield _Layer(name, seen, call)


def _maps_of_calls(layers: Sequence[_Layer], batch: int, images: _Images) -> Maps:
    weights_LHQK = np.stack([_array(layer.call.weights_BHQK[batch]) for layer in layers])
    weights_LHQK = np.nan_to_num(weights_LHQK)
    visible_QK = weights_LHQK.max(axis=(0, 1)) > 0.0
    for layer in layers:
        visible_QK |= layer.call.visible_BHQK[batch].any(0).cpu().numpy()
    kind, seen = layers[0].kind, layers[0].seen
    columns = _not_padding(visible_QK)
    rows = columns if kind.is_self and len(columns) == len(visible_QK) else slice(None)
    row_texts, column_texts = np.array(seen.rows(batch)), np.array(seen.columns(batch))
    patches = images.patches(len(columns), batch) if _is_numbered(column_texts) else None
    if patches:
        column_texts = np.array(_patch_texts(patches, len(columns)))
        row_texts = column_texts if kind.is_self else row_texts
    name, remark = _name_of([layer.name for layer in layers])
    return Maps(
        kind,
        name,
        weights_LHQK[:, :, rows][..., columns],
        visible_QK[rows][:, columns],
        row_texts[rows].tolist(),
        column_texts[columns].tolist(),
        remark,
        patches=patches,
    )


def _is_numbered(texts: NDArray[np.str_]) -> bool:
    """Whether tokens are unknown."""
    return texts.tolist() == [str(position) for position in range(len(texts))]


def _patch_texts(patches: Patches, n_keys: int) -> list[str]:
    """Return row and column of each patch, after what stands beside the patches.

    >>> _patch_texts(Patches((2, 2)), 5)
    ['class', '0,0', '0,1', '1,0', '1,1']
    """
    places = [f"{row},{column}" for row, column in np.ndindex(patches.shape)]
    n_beside = n_keys - len(places)
    beside = ["class"] if n_beside == 1 else [str(number) for number in range(n_beside)]
    return beside + places


def _not_padding(visible_QK: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return True for each key that a real query sees.

    Where padding stands on the left, queries of padding have nothing to look at, and are let look
    at everything instead.
    """
    sees_all_Q = np.asarray(visible_QK.all(axis=1))
    is_real_Q = ~sees_all_Q | sees_all_Q.all()
    is_real_Q[-1] = True
    return np.asarray(visible_QK[is_real_Q].any(axis=0))


def _name_of(names: Sequence[str]) -> tuple[str, str]:
    """Return what layers are called, with {layer} for their number, and what it does not say.

    >>> _name_of(["h.0.attn", "h.1.attn"])
    ('h.{layer}.attn', '')
    >>> _name_of(["h.3.attn", "h.7.attn"])
    ('h.#.attn, L{layer}', 'L0 is h.3.attn, L1 is h.7.attn')
    """
    if len(names) == 1:
        return names[0], ""
    numbers = [re.findall(r"\d+", name) for name in names]
    varying = [i for i, column in enumerate(zip(*numbers, strict=True)) if len(set(column)) > 1]
    counted = [str(i) for i in range(len(names))]
    if len(varying) == 1 and [each[varying[0]] for each in numbers] == counted:
        number = list(re.finditer(r"\d+", names[0]))[varying[0]]
        return f"{names[0][: number.start()]}{{layer}}{names[0][number.end() :]}", ""
    listed = ", ".join(f"L{i} is {name}" for i, name in enumerate(names))
    return f"{re.sub(r'[0-9]+', '#', names[0])}, L{{layer}}", listed
