"""A recipe: a function of `core` and its arguments.

It computes what a view shows, once for all visitors, and writes the Python that computes the same
again. So a view says once where its numbers come from.
"""

import inspect
import json
import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import MISSING, fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Generic, Protocol, TypeVar, cast

import numpy as np

from core.heads import Head, Site
from core.installed import GALLERY, ROOT
from core.runs.run import load_run
from pages.frame import cached, interrupts, service
from pages.frame.cached import Folder, RunAt, RunWriting

Result = TypeVar("Result", covariant=True)
WIDTH = 88
"""Letters of a line; a longer call has one argument a line."""
PACKAGE = "seq2see"
SHOWING_PICTURE = """\
weights, rows, columns, head = result.attention()
see.attention(weights, rows, columns, head=head)
"""
SHOWING_TABLE = """\
print(*numbers, sep="\\t")
for row in zip(*numbers.values()):
    print(*row, sep="\\t")
"""


class Tabular(Protocol):
    """A result whose numbers are a table."""

    def table(self) -> Mapping[str, Sequence[object]]:
        """Return the name of each column → its values, the same number in each."""


class Recipe(Generic[Result]):
    """`function(*arguments)`."""

    def __init__(self, function: Callable[..., Result], *arguments: object) -> None:
        """Compute nothing yet.

        Args:
            function: Of a module; of `core`, where its Python is shown.
            arguments: A path, a `RunAt` or a `RunWriting` stands for the run, a `ModelOf` for its
                model, a recipe for its result; all else for itself: it can be hashed, or is an
                array, a `Keyed`, or a list or tuple of such. Python can be written of numbers,
                texts, enums, heads, functions, frozen dataclasses, and collections of these.
        """
        self.function, self.arguments = function, arguments

    def result(self) -> Result:
        """Return what the function returns, computed once and shared by all sessions."""
        # A page is drawn between such calls, which takes as long as some computations.
        service.current().give_way()
        results, key = cached.results(), self.key
        with nullcontext() if key in results else cached.computing():
            values = map(cached.value_of, self.arguments)
            return cast(Result, results.of(key, self.function, interrupts.check, values))

    @property
    def key(self) -> Hashable:
        """What the result depends on: the function, its arguments, and the files of runs."""
        return (self.function, *map(cached.key_of, self.arguments))

    @property
    def functions(self) -> tuple[Callable[..., object], ...]:
        """The function, and those of the recipes among its arguments."""
        inner = [each for each in self.arguments if isinstance(each, Recipe)]
        return (self.function, *(function for each in inner for function in each.functions))

    def python(self) -> str:
        """Return Python that computes the result's table in any folder, and shows the result."""
        code = _Code()
        if self.has_picture:
            code.add_import(f"import {PACKAGE} as see")
        result = f"result = {code.of(self, 0)}\nnumbers = result.table()\n"
        showing = SHOWING_PICTURE if self.has_picture else SHOWING_TABLE
        return f"{code.imports()}{code.runs()}{result}{showing}"

    @property
    def has_picture(self) -> bool:
        """Whether the result has weights for `seq2see.attention`."""
        return hasattr(inspect.signature(self.function).return_annotation, "attention")


class _Code:
    """Python that is being written: what it imports, and the runs that it loads."""

    def __init__(self) -> None:
        self._imports: set[str] = set()
        self._runs: dict[Path | RunAt | RunWriting, tuple[str, str]] = {}

    def add_import(self, line: str) -> None:
        """Import something."""
        self._imports.add(line)

    def imports(self) -> str:
        """Return the lines that import: the standard library, then the project."""
        own = [line for line in self._imports if line.split()[1].startswith(PACKAGE)]
        own.sort(key=lambda line: (line.startswith("from"), line))
        others = sorted(self._imports - set(own))
        return "".join(f"{block}\n\n" for block in ("\n".join(others), "\n".join(own)) if block)

    def runs(self) -> str:
        """Return the lines that load the runs."""
        return "".join(f"{name} = {loaded}\n" for name, loaded in self._runs.values())

    def of(self, value: object, indent: int) -> str:
        """Return the expression for a value that begins a line of this indent."""
        match value:
            case Recipe():
                return self._call(self._name(value.function), value.arguments, {}, indent)
            case Path() | RunAt() | RunWriting():
                return self._run(value)
            case Folder():
                return self._path(value.path)
            case list() | tuple() | set() | frozenset():
                return self._collection(value, indent)
        if callable(value):
            return self._name(value)
        if is_dataclass(value) or isinstance(value, Enum):
            return self._record(value, indent)
        return _literal(value)

    def _record(self, value: object, indent: int) -> str:
        name = self._name(type(value))
        if isinstance(value, Head | Site):
            return f'{name}.parse("{value}")'
        if isinstance(value, Enum):
            return f"{name}.{value.name}"
        return self._call(name, (), _changed(value), indent)

    def _collection(self, values: Collection[object], indent: int) -> str:
        if isinstance(values, set | frozenset):
            inner = self.of(sorted(values, key=str), indent) if values else ""
            return f"{type(values).__name__}({inner})"
        texts = [self.of(each, indent + 4) for each in values]
        if isinstance(values, list):
            return _broken("[", texts, "]", indent)
        return _broken("(", texts, ",)" if len(texts) == 1 else ")", indent)

    def _run(self, run: Path | RunAt | RunWriting) -> str:
        if run not in self._runs:
            name = f"run_{len(self._runs) + 1}" if self._runs else "run"
            self._runs[run] = (name, self._loading(run))
        return self._runs[run][0]

    def _loading(self, run: Path | RunAt | RunWriting) -> str:
        match run:
            case RunAt(path, step):
                return f"{self._name(load_run)}({self._path(path)}, {step})"
            case RunWriting(path, choices):
                named = "".join(f", {name}={value!r}" for name, value in choices)
                return f"{self._name(replace)}({self._loading(path)}{named})"
            case Path():
                return f"{self._name(load_run)}({self._path(run)})"

    def _path(self, path: Path) -> str:
        if path.is_relative_to(GALLERY):
            self._imports.add(f"from {PACKAGE}.core.installed import GALLERY")
            return f"GALLERY / {_literal(path.relative_to(GALLERY).as_posix())}"
        self._imports.add("from pathlib import Path")
        place = project_path(path) if service.current().is_shared else path
        return f"Path({_literal(place.as_posix())})"

    def _name(self, of: object) -> str:
        outer = str(getattr(of, "__qualname__", "")).split(".")[0]
        module = str(getattr(of, "__module__", ""))
        package = f"{PACKAGE}." if module.startswith("core.") else ""
        self._imports.add(f"from {package}{module} import {outer}")
        return str(getattr(of, "__qualname__", ""))

    def _call(
        self, name: str, arguments: Sequence[object], named: Mapping[str, object], indent: int
    ) -> str:
        texts = [self.of(each, indent + 4) for each in arguments]
        texts += [f"{key}={self.of(each, indent + 4)}" for key, each in named.items()]
        return _broken(f"{name}(", texts, ")", indent)


def _literal(value: object) -> str:
    """Return a number, a text or None as Python writes it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    raise TypeError(f"{value!r} cannot be written as Python")


def _broken(begin: str, texts: Sequence[str], end: str, indent: int) -> str:
    """Return what stands in brackets in one line, or in one line each where that is too long."""
    line = f"{begin}{', '.join(texts)}{end}"
    if indent + len(line) + len("result = ") <= WIDTH or not texts:
        return line
    inner = "".join(f"{' ' * (indent + 4)}{text},\n" for text in texts)
    return f"{begin}\n{inner}{' ' * indent}{end.lstrip(',')}"


def _changed(value: object) -> dict[str, object]:
    """Return the fields of a dataclass that differ from their defaults."""
    found = {each.name: (getattr(value, each.name), each) for each in fields(value)}  # type: ignore[arg-type]
    return {
        name: own
        for name, (own, field) in found.items()
        if field.init
        and (field.default is MISSING or own != field.default)
        and (field.default_factory is MISSING or own != field.default_factory())
    }


def project_path(path: Path) -> Path:
    """Return a run's folder relative to the project; of one elsewhere its last two names."""
    if path.is_relative_to(ROOT):
        return path.relative_to(ROOT)
    return Path(path.parent.name, path.name)
