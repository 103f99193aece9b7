"""Where models come from; the Hub is a server here that speaks its protocol."""

import json
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import huggingface_hub.constants
import pytest
import torch
from safetensors.torch import load_file

from core.library.checkpoint import OpeningError
from core.runs.run import RunError
from core.studies.opening import sources
from core.studies.opening import survey as module
from core.studies.opening.sources import local
from core.studies.opening.survey import survey
from tests.core.library.folders import write_folder
from tests.core.library.random_models import drawn
from tests.core.library.test_gguf import SIZES, write


def brought(source, room):
    """Return where the files are, and the shares of the work that were told."""
    shares, walk = [], local(str(source), room, 0.5)
    while True:
        try:
            shares.append(next(walk))
        except StopIteration as end:
            return end.value, shares


@pytest.fixture
def room(tmp_path):
    path = tmp_path / "room"
    path.mkdir()
    return path


@pytest.fixture
def folder(tmp_path):
    write_folder(tmp_path / "model", "gpt2")
    return tmp_path / "model"


def zipped(folder, file, top="", more=None):
    with zipfile.ZipFile(file, "w") as archive:
        for path in folder.iterdir():
            archive.write(path, f"{top}{path.name}")
        for name, content in (more or {}).items():
            archive.writestr(name, content)
    return file


def test_a_folder_and_a_gguf_file_stay_where_they_are(folder, room, tmp_path):
    assert brought(folder, room) == (folder, [])
    file = tmp_path / "M.GGUF"
    file.write_bytes(b"")
    assert brought(file, room) == (file, [])


@pytest.mark.parametrize("top", ["", "model/", "a/b/"])
def test_a_zip_gives_the_files_that_are_of_use(folder, room, tmp_path, top):
    more = {f"{top}evil.py": "import os", f"{top}onnx/config.txt": "x"}
    found, shares = brought(zipped(folder, tmp_path / "m.zip", top, more), room)
    assert found == room
    assert {path.name for path in room.iterdir()} == {path.name for path in folder.iterdir()}
    for path in room.iterdir():
        assert path.read_bytes() == (folder / path.name).read_bytes()
    assert shares == sorted(shares)
    assert shares[-1] == 0.5


def test_what_is_not_one_model_is_refused(folder, room, tmp_path):
    for name in ("../config.json", "other/config.json"):
        with pytest.raises(RunError, match="2 folders with a config.json, not"):
            brought(zipped(folder, tmp_path / "m.zip", more={name: "{}"}), room)
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as archive:
        archive.writestr("README.md", "x")
    with pytest.raises(RunError, match="0 folders with a config.json"):
        brought(tmp_path / "m.zip", room)
    (tmp_path / "n.zip").write_bytes(b"PK nothing")
    with pytest.raises(RunError, match="no zip archive"):
        brought(tmp_path / "n.zip", room)
    (tmp_path / "m.ckpt").write_bytes(b"x")
    with pytest.raises(RunError, match=r"no folder, no .zip and no .gguf file"):
        brought(tmp_path / "m.ckpt", room)


def test_a_zip_of_more_files_than_any_model_has_is_refused(folder, room, tmp_path):
    more = {f"tokenizer{number}": "" for number in range(1100)}
    with pytest.raises(RunError, match="files of a model, more than 1,024"):
        brought(zipped(folder, tmp_path / "m.zip", more=more), room)


def test_a_damaged_zip_is_refused_in_a_short_sentence(folder, room, tmp_path):
    file = zipped(folder, tmp_path / "m.zip")
    content = bytearray(file.read_bytes())
    # The name of the first entry, whose length stands here, goes on into its content.
    content[26:28] = b"\xff\x7f"
    file.write_bytes(content)
    with pytest.raises(RunError, match="the archive is damaged at") as refused:
        brought(file, room)
    assert len(str(refused.value)) < 400


def test_a_zip_of_empty_files_is_unpacked(room, tmp_path):
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as archive:
        archive.writestr("config.json", "")
    assert brought(tmp_path / "m.zip", room)[1] == [0]


def test_what_is_too_large_is_not_unpacked(folder, room, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LARGEST_SOURCE", 100)
    with pytest.raises(RunError, match="GB are read"):
        brought(zipped(folder, tmp_path / "m.zip"), room)
    assert not list(room.iterdir())


@pytest.mark.parametrize("source", ["there/is/no/such", "no-such", "https://example.org/x"])
def test_what_is_not_there_is_said(room, source):
    with pytest.raises(RunError, match="no such folder or file"):
        brought(source, room)


class Hub(BaseHTTPRequestHandler):
    """Answers for owner/name as the Hub does, out of the server's folder."""

    def log_message(self, *_):
        pass

    def answer(self, content, **headers):
        self.send_response(200)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path, folder, commit = self.path.partition("?")[0], self.server.folder, "0" * 40
        if path.startswith("/api/models/owner/name"):
            files = [
                {"rfilename": file.name, "size": file.stat().st_size} for file in folder.iterdir()
            ]
            extra = [{"rfilename": "run_me.py", "size": 9}]
            told = {"id": "owner/name", "sha": commit, "siblings": [*files, *extra]}
            self.answer(json.dumps(told).encode(), Content_Type="application/json")
        elif path.startswith("/owner/name/resolve/"):
            content = (folder / path.rpartition("/")[2]).read_bytes()
            self.answer(content, ETag=f'"{len(content)}"', X_Repo_Commit=commit)
        else:
            self.send_error(404)


@pytest.fixture
def hub(folder, monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.folder = folder
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    files = address + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", address)
    monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", files)
    yield address
    server.shutdown()
    server.server_close()


def test_a_model_comes_from_the_hub(hub, folder, room):
    found, shares = brought("owner/name", room)
    assert found == room
    for path in folder.iterdir():
        assert (room / path.name).read_bytes() == path.read_bytes()
    assert not (room / "run_me.py").exists()
    assert shares[-1] == 0.5


def test_a_name_that_the_hub_does_not_know_is_said(hub, room):
    with pytest.raises(RunError, match="the Hub does not give owner/other"):
        brought("owner/other", room)


def test_without_a_network_it_is_said_how_to_bring_a_folder(room, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(RunError, match="hf download owner/name --local-dir FOLDER"):
        brought("owner/name", room)


@pytest.mark.parametrize("name", ["llama3", "marian"])
def test_weights_are_counted_without_being_read(tmp_path, name):
    write_folder(tmp_path, name)
    found = survey(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    assert found.n_weights == sum(tensor.numel() for tensor in tensors.values())
    assert found.n_bytes == 4 * found.n_weights < found.n_stored
    assert found.family.lower() == name.rstrip("3")
    assert found.seconds > 1


@pytest.mark.slow
def test_files_that_torch_wrote_and_gguf_are_counted_too(tmp_path):
    model = write_folder(tmp_path / "folder", "gpt2")
    (tmp_path / "folder" / "model.safetensors").unlink()
    state = model.state_dict()
    torch.save(state, tmp_path / "folder" / "pytorch_model.bin")
    assert survey(tmp_path / "folder").n_weights == sum(each.numel() for each in state.values())
    llama = drawn("llama", **SIZES)
    file = write(tmp_path / "m.gguf", llama)
    found = survey(file)
    assert (found.family, found.n_weights) == ("llama", sum(p.numel() for p in llama.parameters()))


def test_what_is_too_large_is_refused_with_its_size(tmp_path, monkeypatch):
    write_folder(tmp_path, "gpt2")
    monkeypatch.setattr(module, "LARGEST_MODEL", 1000)
    with pytest.raises(OpeningError, match=r"billion weights, which take .* GB of memory; at most"):
        survey(tmp_path)
