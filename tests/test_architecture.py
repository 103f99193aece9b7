"""The rules that keep the layers apart, checked on the source text.

Each rule is one test over all files; where it fails, it names every offending file and the reason.
"""

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FORBIDDEN = {
    "core": {
        "streamlit",
        "plotly",
        "altair",
        "pandas",
        "viz",
        "pages",
        "app",
        "classroom",
        "seq2see",
        "pickle",
    },
    "viz": {"streamlit", "torch", "core", "pages", "app", "classroom", "seq2see", "pickle"},
    "pages": {"torch", "plotly", "altair", "pandas", "app", "classroom", "seq2see", "pickle"},
    "classroom": {"torch", "plotly", "altair", "pandas", "class_app", "seq2see", "pickle"},
    "seq2see": {"plotly", "altair", "pandas", "pages", "app", "classroom", "pickle"},
}
SOURCES = [path for package in FORBIDDEN for path in sorted((ROOT / package).rglob("*.py"))]
DRAWN = sorted(path for kind in ("js", "css", "html") for path in (ROOT / "viz").rglob(f"*.{kind}"))
"""What components are made of in the browser."""
PAGES = sorted(path for path in (ROOT / "pages").glob("*.py") if path.stem != "__init__")
VIEWS = ROOT / "pages" / "views"
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(")
MOST_LINES = 600
"""Of one idea in a file."""
NO_NAMES = frozenset(
    ["looked", "taking", "through", "doubts", "placing", "sides", "moves", "wanted", "following"]
    + ["util", "utils", "helper", "helpers", "common", "misc"]
)
"""A reader who knows PyTorch and the paper could not guess from these what is meant."""


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def room_of(path):
    return path.relative_to(ROOT).parts[0]


@cache
def tree_of(path):
    return ast.parse(path.read_text())


def module_of(path, node):
    """Return the full name of the module that `from … import` names in a file."""
    if not node.level:
        return node.module
    package = path.relative_to(ROOT).parts[: -node.level]
    return ".".join([*package, *([node.module] if node.module else [])])


def imported_modules(path):
    """Yield the full name of everything that a file imports, `a.b` for `from a import b`."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{module_of(path, node)}.{alias.name}" for alias in node.names)


def attributes_of(path, name):
    """Yield every `name.x` of a file as x."""
    for node in ast.walk(tree_of(path)):
        match node:
            case ast.Attribute(value=ast.Name(id=found), attr=attribute) if found == name:
                yield attribute


def public_names(path):
    """Yield what a file calls its functions and classes, and the views that it lists."""
    for node in tree_of(path).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_":
            yield node.name
    for node in ast.walk(tree_of(path)):
        match node:
            case ast.Call(func=ast.Name(id="View"), args=[ast.Constant(value=str(name)), *_]):
                yield name


def assert_none(faults):
    """Fail with every fault on a line of its own."""
    found = [f"{name_of(path)}: {fault}" for path, fault in faults]
    assert not found, "\n".join(["", *found])


def test_imports_inside_core_and_viz_are_relative():
    """So that the two are the same inside the installed package."""
    assert_none(
        (path, f"imports {node.module} by its full name")
        for path in SOURCES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom)
        and not node.level
        and room_of(path) in ("core", "viz")
        and node.module.split(".")[0] == room_of(path)
    )


def test_modules_import_only_what_their_layer_may_know():
    def faults():
        for path in SOURCES:
            packages = {module.split(".")[0] for module in imported_modules(path)}
            broken = packages & FORBIDDEN[room_of(path)]
            # A page that Streamlit runs by itself hands over to app.py.
            if path.parent == ROOT / "pages":
                broken -= {"app"}
            if broken:
                yield path, f"may not import {sorted(broken)}"

    assert_none(faults())


def test_the_app_of_one_user_knows_nothing_of_a_class():
    assert not [each for each in imported_modules(ROOT / "app.py") if "class" in each]


def test_modules_are_short():
    lines = {path: path.read_text().count("\n") for path in [*SOURCES, *DRAWN]}
    assert_none((path, f"{n} lines") for path, n in lines.items() if n > MOST_LINES)


def test_no_module_needs_itself_to_be_imported():
    """Else it depends on which page a visitor asks for first whether any is shown."""
    modules = {name_of(path).removesuffix(".py").replace("/", "."): path for path in SOURCES}
    needs = {}
    for name, path in modules.items():
        needs[name] = set()
        for node in tree_of(path).body:
            if isinstance(node, ast.ImportFrom):
                module = module_of(path, node)
                below = {f"{module}.{alias.name}" for alias in node.names} & modules.keys()
                needs[name] |= below or {module} & modules.keys()
    assert list(TopologicalSorter(needs).static_order())


def test_modules_say_what_they_are_for():
    assert_none((path, "no docstring") for path in SOURCES if not ast.get_docstring(tree_of(path)))


def test_names_say_what_is_meant():
    def faults():
        tests = sorted((ROOT / "tests").rglob("test_*.py"))
        for path in [*SOURCES, *{path.parent for path in SOURCES}, *tests]:
            if path.stem.removeprefix("test_") in NO_NAMES:
                yield path, f"{path.stem} says nothing"
        for path in SOURCES:
            for name in public_names(path):
                if name.lower() in NO_NAMES:
                    yield path, f"{name} says nothing"

    assert_none(faults())


def test_no_view_of_a_page_imports_another_page_or_its_views():
    names = {path.stem for path in PAGES}

    def faults():
        for path in sorted(VIEWS.rglob("*.py")):
            others = names - {path.relative_to(VIEWS).parts[0]}
            for module in set(imported_modules(path)):
                match module.split("."):
                    case ["pages", "views", other, *_] | ["pages", other, *_] if other in others:
                        yield path, f"imports {module}"

    assert_none(faults())


def test_tests_mirror_the_folders():
    folders = {path.parent for path in SOURCES if tree_of(path).body[1:]}
    assert_none(
        (folder, "no folder of tests")
        for folder in sorted(folders)
        if not [
            path
            for kind in ("test_*.py", "*.test.js")
            for path in (ROOT / "tests" / folder.relative_to(ROOT)).rglob(kind)
        ]
    )


def test_one_module_caches_and_one_touches_the_session():
    def faults():
        for path in (path for path in SOURCES if "streamlit" not in FORBIDDEN[room_of(path)]):
            used = set(attributes_of(path, "st"))
            for name, only in (("session_state", "session.py"), ("query_params", "session.py")):
                if name in used and path.name != only:
                    yield path, f"touches {name}"
            if path.name != "cached.py" and (found := used & {"cache_data", "cache_resource"}):
                yield path, f"uses {sorted(found)}"

    assert_none(faults())


def test_one_module_of_the_state_knows_what_streamlit_does_not_offer():
    internal = ("streamlit.runtime", "streamlit.proto", "streamlit.web")
    assert_none(
        (path, f"imports {name}")
        for path in (ROOT / "pages").rglob("*.py")
        if path.name != "streamlit_internals.py"
        for name in imported_modules(path)
        if name.startswith(internal)
    )


def test_one_module_of_the_pages_reads_the_settings_of_runs():
    """Read at each rerun, the files of all runs hold up a page: `cached.settings` keeps them."""
    assert_none(
        (path, "reads settings itself: cached.settings has them")
        for path in (ROOT / "pages").rglob("*.py")
        if path.name != "cached.py" and "read_settings" in path.read_text()
    )


def test_only_the_theme_names_a_colour():
    assert DRAWN
    files = [*SOURCES, ROOT / "app.py", *DRAWN]
    assert_none(
        (path, f"names {found}")
        for path in files
        if path != ROOT / "viz" / "theme.py" and (found := COLOUR.findall(path.read_text()))
    )


def test_pages_hand_over_to_app_when_streamlit_runs_them_directly():
    handing_over = "if __name__ == '__main__':\n    from app import main"
    assert_none(
        (path, "does not end with handing over")
        for path in PAGES
        if not ast.unparse(tree_of(path).body[-1]).startswith(handing_over)
    )


def test_pages_have_one_public_function_called_render():
    def faults():
        for path in PAGES:
            functions = [n.name for n in tree_of(path).body if isinstance(n, ast.FunctionDef)]
            public = [name for name in functions if name[0] != "_"]
            if public != ["render"]:
                yield path, f"has {public}"

    assert_none(faults())


def test_every_requirement_is_pinned_exactly():
    for name in ("requirements.txt", "requirements-dev.txt", "requirements-docs.txt"):
        for line in (ROOT / name).read_text().splitlines():
            if line and not line.startswith(("#", "-r")):
                assert re.fullmatch(r"[\w.\[\]-]+==[\w.]+", line), line


def test_nothing_can_unpickle():
    assert_none(
        (path, f"has {found}")
        for path in SOURCES
        if (
            found := re.findall(
                r"torch\.load\((?!.*weights_only=True)|allow_pickle=True", path.read_text()
            )
        )
    )


ROOMS_OF_CORE = (
    *("installed", "vocabulary", "messages", "files", "heads", "watch", "config", "device"),
    *("limits", "model", "describe", "tokenizer", "library", "tasks", "batch", "labels", "jobs"),
    *("runs", "decoding", "check", "inspection", "evaluate", "training", "studies", "commands"),
    "__main__",
)
"""From bottom to top: a room knows those before it, and none after it."""


def test_imports_inside_core_go_one_way():
    height = {room: number for number, room in enumerate(ROOMS_OF_CORE)}
    upward = []
    for path in sorted((ROOT / "core").rglob("*.py")):
        room = path.relative_to(ROOT / "core").with_suffix("").parts[0]
        if room == "__init__":
            continue
        assert room in height, f"{name_of(path)}: where in ROOMS_OF_CORE does {room} stand?"
        for module in imported_modules(path):
            package, *rest = module.split(".")
            if package == "core" and height[rest[0]] > height[room]:
                upward.append(f"{name_of(path)} imports {module}")
    assert not upward, "core may import only what stands below:\n" + "\n".join(upward)


def asking(pattern):
    """Yield every module that asks by itself what `core.heads` answers, with what it asks."""
    exempt = [ROOT / "core" / name for name in ("heads.py", "model", "describe")]
    for path in SOURCES:
        if not any(path.is_relative_to(each) for each in exempt):
            yield from ((path, f"writes {each!r}") for each in pattern.findall(path.read_text()))


def test_only_one_module_compares_stacks_kinds_and_sites_of_attention():
    """Elsewhere the properties of `Kind` and `Site` answer which side looks, and at which."""
    place = r"""(?:encoder|decoder)(?:\.(?:self|cross))?"""
    assert_none(
        asking(
            re.compile(
                rf"""(?:==|!=|\bcase)\s*["']{place}["']|["']{place}["']\s*(?:==|!=|if\b)"""
                r"""|(?:\bis|\bnot\sin|\bin)\s*["'(]*(?:encoder|decoder)\.(?:self|cross)\b"""
                r"""|\.(?:sublayer|kind)\s*(?:==|!=)\s*["'](?:self|cross)["']"""
                rf"""|["']{place}["']:\s*\(?["'](?:source|target)["']"""
            )
        )
    )


def test_only_one_module_names_stacks_and_kinds_of_attention():
    """What people call them, and how many layers there are, stands once."""
    assert_none(
        asking(
            re.compile(
                r"""N?_\(["'](?i:encoder|decoder)["']\)"""
                r"""|["'](?:encoder|decoder)["']:\s*(?!self\.)\w+\.n_(?:encoder|decoder)_layers"""
                r"""|N?_\(["'](?:(?:encoder|decoder) )?(?:self|cross)-attention["']\)"""
                r"""|\bKind\.[A-Z_]+:\s*N?_\(["'](?i:encoder|decoder|cross)[\w -]*["']\)"""
            )
        )
    )
