"""The package, built and installed, in a folder whose own files have the names of its parts."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from playwright.sync_api import expect

from core.installed import VERSION
from tests.browser.conftest import ROOT, free_port, wait_for_health

LARGEST = 40_000_000
PARTS = ("app.py", "core.py", "viz.py", "pages/__init__.py", "pages/whole.py")
SHOWN = """
from pages.frame.cached import GALLERY
from pages.frame.recipe import Recipe
from core.inspection import inspect_sentence
from core.studies.forward_pass import forward_pass

inspecting = Recipe(inspect_sentence, GALLERY / "copy", "a b c")
print(Recipe(forward_pass, GALLERY / "copy", inspecting).python())
"""
WATCHED = """
import sys
for name in ("pandas", "altair", "plotly", "streamlit", "transformers"):
    sys.modules[name] = None
import torch
import seq2see as see

layer = torch.nn.TransformerEncoderLayer(8, nhead=2).eval()
with see.watch(layer) as seen:
    layer(torch.ones(3, 1, 8))
print(list(seen), "<iframe" in seen._repr_html_())
"""
WATCHING = """
import sys
import seq2see as see
import torch

layer = torch.nn.TransformerEncoderLayer(8, 2, batch_first=True)
with see.watch(layer) as seen:
    layer(torch.randn(1, 5, 8))
seen.save("attention.html")
print(sorted({"streamlit", "pandas", "tokenizers", "core"} & sys.modules.keys()))
"""
pytestmark = [pytest.mark.slow, pytest.mark.browser]


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", "wheel", *options, "-w", folder, ROOT, cwd=folder)
    [file] = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def site_packages(wheel, tmp_path_factory):
    """Install the wheel into a new environment, which finds all else where this one does."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    [place] = folder.glob("**/site-packages")
    into = ("--python", folder / "bin" / "python", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", *into, "install", "--no-deps", wheel, cwd=folder)
    (place / "shared.pth").write_text(sysconfig.get_path("purelib"))
    return place


@pytest.fixture(scope="module")
def seq2see(site_packages):
    return site_packages.parents[2] / "bin" / "seq2see"


@pytest.fixture
def folder(tmp_path):
    """A user's folder: nothing of it may be taken for a part of the package."""
    for part in PARTS:
        (tmp_path / part).parent.mkdir(exist_ok=True)
        (tmp_path / part).write_text("raise RuntimeError('this is not the package')")
    return tmp_path


def test_the_wheel_is_small_and_puts_one_package_beside_others(wheel, site_packages):
    assert wheel.stat().st_size <= LARGEST
    [information] = site_packages.glob("*.dist-info")
    mine = {Path(line.split(",")[0]) for line in (information / "RECORD").open()}
    tops = {path.parts[0] for path in mine if ".." not in path.parts}
    assert tops == {"seq2see", information.name}


def test_commands_find_the_gallery_from_any_folder(seq2see, folder):
    assert run(seq2see, "--version", cwd=folder) == f"seq2see {VERSION}\n"
    assert run(seq2see, "translate", "gallery/copy", "a b c", cwd=folder) == "a b c\n"
    python = seq2see.with_name("python")
    assert "251,968" in run(python, "-m", "seq2see", "count", "gallery/copy", cwd=folder)


def test_a_wrong_port_is_refused_in_one_sentence(seq2see, folder):
    done = subprocess.run(
        [seq2see, "--port", "x"], cwd=folder, check=False, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr == "error: argument --port: x is not 1 to 65535 (see seq2see --help)\n"


def test_the_library_needs_nothing_of_the_app(seq2see, folder):
    (folder / "mine.py").write_text(WATCHING)
    assert run(seq2see.with_name("python"), "mine.py", cwd=folder) == "[]\n"
    assert (folder / "attention.html").stat().st_size > 100_000


def test_the_python_that_a_view_shows_runs_in_any_folder(seq2see, site_packages, folder):
    python = seq2see.with_name("python")
    shown = run(python, "-c", SHOWN, cwd=site_packages / "seq2see")
    assert "from seq2see.core.inspection import inspect_sentence" in shown
    (folder / "mine.py").write_text(f'{shown.rstrip()}.save("attention.html")')
    assert run(python, "mine.py", cwd=folder) == ""
    assert 'id="view-2"' in (folder / "attention.html").read_text()


def test_any_model_is_watched_and_shown_with_numpy_and_torch_alone(seq2see, folder):
    shown = run(seq2see.with_name("python"), "-c", WATCHED, cwd=folder)
    assert shown == "['self_attn'] True\n"


def test_the_app_shows_the_pass_and_the_runs_of_the_folder(seq2see, folder, browser):
    small = ("--task", "copy", "--preset", "tiny", "--steps", "1")
    port = free_port()
    run(seq2see, "train", "runs/mine", *small, cwd=folder)
    with subprocess.Popen([seq2see, "--no-browser", "--port", str(port)], cwd=folder) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for_health(server, address)
            page = browser.new_page()
            page.goto(f"{address}/training?training=runs")
            expect(page.get_by_text("runs/mine")).to_be_visible(timeout=60_000)
        finally:
            server.terminate()


def test_a_class_is_served_from_any_folder(seq2see, site_packages, folder, browser):
    port = str(free_port())
    passwords = {"CLASS_PASSWORD": "for the class", "TEACHER_PASSWORD": "for the teacher"}
    with subprocess.Popen(
        [seq2see, "class", "127.0.0.1", port], cwd=folder, env=os.environ | passwords
    ) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for_health(server, address)
            page = browser.new_page()
            page.goto(address)
            expect(page.locator("input[type=password]").first).to_be_visible(timeout=60_000)
        finally:
            server.terminate()
    assert not (site_packages / "seq2see" / "runs").exists()
