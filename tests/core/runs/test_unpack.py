import io
import json
import stat
import struct
import tempfile
import zipfile
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load, save

from core.runs import archive
from core.runs.archive import archive_run, unpack_run
from core.runs.checkpoint import newest_checkpoint
from core.runs.run import RunError, load_run

WEIGHTS = "mine/checkpoints/step-00000030.safetensors"
STATE = "mine/checkpoints/step-00000030.state.safetensors"


@pytest.fixture(scope="session")
def good(copy_folder, tmp_path_factory):
    """The bytes of a good archive of a run called `mine`."""
    link = tmp_path_factory.mktemp("links") / "mine"
    link.symlink_to(copy_folder)
    archive_run(link, link.with_name("mine.zip"))
    return link.with_name("mine.zip").read_bytes()


@pytest.fixture(scope="session")
def members(good):
    with zipfile.ZipFile(io.BytesIO(good)) as opened:
        return {info.filename: opened.read(info) for info in opened.infolist()}


@pytest.fixture
def refused(runs):
    """Return a function that wants an archive to be refused, and nothing to be left of it."""

    def refuse(content, why, **options):
        with pytest.raises(RunError, match=why) as error:
            unpack_run(content, runs, **options)
        assert list(runs.iterdir()) == []
        assert str(runs) not in str(error.value)

    return refuse


def packed(members, method=zipfile.ZIP_STORED):
    """Pack files by their names; an entry of its own kind stands as its ZipInfo."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as packing:
        for name, content in members.items():
            packing.writestr(name, content)
    return file.getvalue()


def files_in(folder):
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


def changed_json(members, name, change):
    stored = json.loads(members[name])
    change(stored)
    return {**members, name: json.dumps(stored).encode()}


@pytest.mark.parametrize("there", ["mine", "MINE"])
def test_a_taken_name_gets_a_number_and_what_has_it_is_left_alone(good, runs, there):
    (runs / there).mkdir()
    (runs / there / "notes").write_text("old")
    assert unpack_run(good, runs) == runs / "mine-2"
    assert unpack_run(good, runs) == runs / "mine-3"
    assert (runs / there / "notes").read_text() == "old"


@pytest.mark.parametrize(
    "name",
    [
        *("../evil", "mine/../../evil", "/tmp/evil", "mine//run.json", "mine\\..\\..\\evil"),
        *("C:/evil", "mine/checkpoints/C:evil", "mine/words.txt\0.png", "..", "mine/best/../evil"),
    ],
)
def test_nothing_is_written_outside_of_the_folder(members, runs, tmp_path, name):
    info = zipfile.ZipInfo("x")
    info.filename = name
    unpack_run(packed({info: b"evil", **members}), runs)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["runs"]
    assert {f"mine/{each}" for each in files_in(runs / "mine")} == set(members)


def test_a_link_is_a_file_with_a_path_in_it(members, runs):
    link = zipfile.ZipInfo("mine/NOTICE")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    taken = unpack_run(packed({**members, link: b"/etc/passwd"}), runs)
    assert not (taken / "NOTICE").is_symlink()
    assert load_run(taken).notice == "/etc/passwd"


def test_files_that_belong_to_no_run_are_left_out(members, runs):
    strange = {
        "mine/evil.py": b"x",
        "mine/.lock": b"x",
        "mine/status.json": b"x",
        "mine/Run.json": b"x",
        "mine/live/step-00000099.safetensors": b"x",
        "mine/checkpoints/step-99.safetensors": b"x",
        "mine/checkpoints/step-00000099.pt": b"x",
        "mine/snapshots/step-00000001.state.safetensors": b"x",
        "mine/empty/": b"",
        "__MACOSX/mine/._run.json": b"x",
        ".DS_Store": b"x",
    }
    unpack_run(packed({**members, **strange}), runs)
    assert {f"mine/{name}" for name in files_in(runs / "mine")} == set(members)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packing_that_may_need_much_memory_is_refused(members, refused, method):
    refused(packed(members, method), "another method")


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (lambda name: [name, name.replace("mine", "other")], "holds 2 folders"),
        (lambda name: [name.removeprefix("mine/")], "holds 0 folders"),
        (lambda name: [], "holds 0 folders"),
    ],
)
def test_an_archive_without_one_folder_is_refused(members, refused, names, why):
    refused(packed({each: members[name] for name in members for each in names(name)}), why)


@pytest.mark.parametrize("name", ["mine/words.txt", WEIGHTS])
def test_an_archive_that_unpacks_to_more_than_the_limit_is_refused(members, refused, name):
    bomb = packed({**members, name: bytes(20_000_000)}, zipfile.ZIP_DEFLATED)
    assert len(bomb) < 1_000_000
    refused(bomb, "too large", limit=10_000_000)


def test_a_json_file_that_would_fill_the_memory_is_refused(members, refused):
    bomb = b"[" + b"[]," * 6_000_000 + b"[]]"
    refused(packed({**members, "mine/run.json": bomb}, zipfile.ZIP_DEFLATED), "too large")


@pytest.mark.parametrize(
    ("claimed", "why"), [(0, "damaged"), (10, "damaged"), (1 << 31, "too large")]
)
def test_a_size_that_is_a_lie_is_seen_through(members, refused, claimed, why):
    name, size = "mine/words.txt", 20_000_000
    content = bytearray(packed({**members, name: bytes(size)}, zipfile.ZIP_DEFLATED))
    true = struct.pack("<L", size)
    assert content.count(true) == 2
    refused(bytes(content).replace(true, struct.pack("<L", claimed)), why, limit=10_000_000)


@pytest.mark.parametrize("content", [b"", b"PK", b"hello" * 100, b"PK\x05\x06" + bytes(18)[:17]])
def test_what_is_no_archive_is_refused(refused, content):
    refused(content, "no zip archive")


def test_a_damaged_file_is_named(good, members, refused):
    at = good.find(members[STATE]) + 5000
    damaged = good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]
    refused(damaged, f"damaged at '{STATE}'")


@pytest.fixture(scope="session")
def good_file(good, tmp_path_factory):
    path = tmp_path_factory.mktemp("archives") / "mine.zip"
    path.write_bytes(good)
    return path


@settings(max_examples=40)
@given(
    st.dictionaries(
        # What an archive says of its files stands before each of them, and once more at the end.
        st.integers(0, 3000) | st.integers(-900, -1),
        st.integers(0, 255),
        max_size=4,
    )
)
def test_whatever_is_changed_in_an_archive_it_is_a_run_or_nothing(good_file, changes):
    content = bytearray(good_file.read_bytes())
    for at, byte in changes.items():
        content[at] = byte
    with tempfile.TemporaryDirectory() as parent:
        try:
            taken = [unpack_run(bytes(content), Path(parent))]
        except RunError:
            taken = []
        assert list(Path(parent).iterdir()) == taken
        for path in taken:
            load_run(path, step=None if newest_checkpoint(path) else 0)


@pytest.mark.parametrize("missing", ["run.json", "tokenizer.json", "words.txt"])
def test_an_archive_without_what_a_run_needs_is_refused(members, refused, missing):
    rest = {name: content for name, content in members.items() if name != f"mine/{missing}"}
    refused(packed(rest), f"no usable run: {missing}")


@pytest.mark.parametrize("folder", ["snapshots", "best"])
@pytest.mark.parametrize("content", [b"", b"x" * 100, save({"a": torch.zeros(2)})])
def test_no_weights_that_might_be_opened_later_are_taken_unseen(members, refused, folder, content):
    name = f"mine/{folder}/step-00000001.safetensors"
    refused(packed({**members, name: content}), "step-00000001.safetensors")


def test_scales_that_would_blow_up_a_weight_are_never_applied(members, refused, monkeypatch):
    monkeypatch.setattr(archive, "load_run", lambda *_, **__: pytest.fail("was loaded"))
    tensors = load(members[WEIGHTS])
    name = next(name for name, tensor in tensors.items() if tensor.dim() == 2)
    tensors[f"{name}.scale"] = torch.ones(3, *tensors[name].shape)
    refused(packed({**members, WEIGHTS: save(tensors)}), "other weights")


@pytest.mark.parametrize(
    "change",
    [
        {"d_model": 10**9, "d_k": 1, "d_v": 1},
        {"d_ff": 10**30},
        {"n_encoder_layers": 10**9},
        {"n_heads": 10**12, "d_k": 10**6},
        {"max_positions": 10**12},
    ],
)
@pytest.mark.parametrize("kept", [True, False])
def test_a_model_that_would_fill_the_memory_is_never_made(
    members, refused, monkeypatch, change, kept
):
    monkeypatch.setattr(archive, "load_run", lambda *_, **__: pytest.fail("was loaded"))
    changed = changed_json(members, "mine/run.json", lambda stored: stored["model"].update(change))
    refused(
        packed({k: v for k, v in changed.items() if kept or ".safetensors" not in k}),
        "no usable run",
    )


@pytest.mark.parametrize("task", ["/etc/passwd", "../other/pairs.tsv", "run.json", ""])
def test_a_task_that_would_open_another_file_is_refused(members, refused, task):
    changed = changed_json(members, "mine/run.json", lambda stored: stored.update(task=task))
    refused(packed(changed), "names a task")


@pytest.mark.parametrize(
    "content", [b"[" * 100_000, b"{", b"\xff", b"[1]", b'{"format": ' + b"9" * 5000 + b"}"]
)
@pytest.mark.parametrize("name", ["run.json", "tokenizer.json", "evaluation.json"])
def test_text_that_breaks_its_reader_is_refused(members, refused, name, content):
    refused(packed({**members, f"mine/{name}": content}), "no usable run")
