"""The rules that keep the layers apart, checked on the source text."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FORBIDDEN = {
    "core": {"streamlit", "plotly", "altair", "pandas", "viz", "pages", "app", "pickle"},
    "viz": {"streamlit", "torch", "core", "pages", "app", "pickle"},
    "pages": {"torch", "plotly", "altair", "pandas", "pickle"},
}
SOURCES = [path for package in FORBIDDEN for path in sorted((ROOT / package).rglob("*.py"))]
ASSETS = [
    path for path in sorted((ROOT / "viz").rglob("*")) if path.suffix in (".html", ".css", ".js")
]
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py") if path.stem != "__init__")
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(")


def name_of(path):
    return str(path.relative_to(ROOT))


def imported_packages(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]


def attributes_of(path, name):
    """Yield every `name.x` of a file as x."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Attribute(value=ast.Name(id=found), attr=attribute) if found == name:
                yield attribute


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_module_imports_only_what_its_layer_may_know(path):
    broken = set(imported_packages(path)) & FORBIDDEN[path.relative_to(ROOT).parts[0]]
    if path.parent == ROOT / "pages":
        broken -= {"app"}
    assert not broken, f"{name_of(path)} may not import {sorted(broken)}"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_module_is_short_and_says_what_it_is_for(path):
    text = path.read_text()
    assert text.count("\n") <= 270
    assert ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("path", sorted((ROOT / "pages").rglob("*.py")), ids=name_of)
def test_one_module_caches_and_one_touches_the_session(path):
    used = set(attributes_of(path, "st"))
    if path.name != "session.py":
        assert not used & {"session_state", "query_params"}
    if path.name != "cached.py":
        assert not used & {"cache_data", "cache_resource"}


@pytest.mark.parametrize(
    "path",
    [*SOURCES, ROOT / "app.py", *ASSETS],
    ids=name_of,
)
def test_only_the_theme_names_a_colour(path):
    if path == ROOT / "viz" / "theme.py":
        return
    assert not COLOUR.findall(path.read_text())


@pytest.mark.parametrize("page", PAGES)
def test_page_hands_over_to_app_when_streamlit_runs_it_directly(page):
    *_, last = ast.parse((ROOT / "pages" / f"{page}.py").read_text()).body
    assert ast.unparse(last).startswith("if __name__ == '__main__':\n    from app import main")


@pytest.mark.parametrize("page", PAGES)
def test_page_has_one_public_function_called_render(page):
    body = ast.parse((ROOT / "pages" / f"{page}.py").read_text()).body
    public = [n.name for n in body if isinstance(n, ast.FunctionDef) and n.name[0] != "_"]
    assert public == ["render"]


def test_every_requirement_is_pinned_exactly():
    for name in ("requirements.txt", "requirements-dev.txt"):
        for line in (ROOT / name).read_text().splitlines():
            if line and not line.startswith(("#", "-r")):
                assert re.fullmatch(r"[\w.\[\]-]+==[\w.]+", line), line


def test_nothing_can_unpickle():
    for path in SOURCES:
        assert not re.search(r"torch\.load\(|allow_pickle=True", path.read_text()), path


ROOMS_OF_CORE = (
    *("vocabulary", "messages", "heads", "config", "device", "model", "tasks", "tokenizer"),
    *("batch", "jobs", "runs", "decoding", "inspection", "evaluate", "training", "analysis"),
    *("experiments", "commands", "__main__"),
)
"""From bottom to top: a room knows those before it, and none after it."""
UPWARD = {("core/runs/management.py", "core.training.process")}
"""Renaming and deleting ask whether a process trains the run, until that is known below."""


def modules_imported(path):
    """Yield the full name of every module that a file imports, also within its functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (
                [f"core.{alias.name}" for alias in node.names]
                if node.module == "core"
                else [node.module or ""]
            )


def test_imports_inside_core_go_one_way():
    height = {room: number for number, room in enumerate(ROOMS_OF_CORE)}
    upward = set()
    for path in sorted((ROOT / "core").rglob("*.py")):
        room = path.relative_to(ROOT / "core").with_suffix("").parts[0]
        if room == "__init__":
            continue
        assert room in height, f"{name_of(path)}: where in ROOMS_OF_CORE does {room} stand?"
        for module in modules_imported(path):
            package, _, rest = module.partition(".")
            if package == "core" and height[rest.split(".")[0]] > height[room]:
                upward.add((name_of(path), module))
    told = "\n".join(f"{name} imports {module}" for name, module in sorted(upward - UPWARD))
    assert not told, f"core may import only what stands below:\n{told}"
    assert upward == UPWARD, "what is excepted is not there any more: take it off the list"


def test_only_one_module_compares_kinds_and_sites_of_attention():
    """Elsewhere the properties of `Kind` and `Site` answer which side looks, and at which."""
    spelt = re.compile(
        r"""(?:==|!=|\bis|\bnot\sin|\bin)\s*["'(]*(?:encoder|decoder)\.(?:self|cross)\b"""
        r"""|\.(?:stack|sublayer|kind)\s*(?:==|!=)\s*["'](?:encoder|decoder|self|cross)["']"""
    )
    for path in SOURCES:
        name = name_of(path)
        if name.startswith("viz/") or name == "core/heads.py" or name.startswith("core/model/"):
            continue
        assert not spelt.search(path.read_text()), f"{name} asks what `core.heads` answers"
