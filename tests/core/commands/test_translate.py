import json

import pytest

from core.commands import translate as module
from core.decoding.bounds import PASSES
from core.decoding.many import Translated
from core.decoding.mask_predict import MaskPredict
from core.decoding.parallel import passes_of
from core.decoding.sentence import translate
from core.inspection import inspect_sentence
from core.runs.run import load_run

SENTENCE = "  a  b c "


def test_translation_alone_is_printed(command, copy_folder, copy_run):
    status, out, _ = command("translate", copy_folder, SENTENCE)
    assert (status, out) == (0, translate(copy_run, SENTENCE).text + "\n")


def steps_of(command, folder, *options):
    status, out, _ = command("translate", folder, SENTENCE, "--steps", "--json", *options)
    assert status == 0
    return json.loads(out)


@pytest.mark.parametrize(
    "options",
    [(), ("--beam", "3"), ("--sample", "--seed", "4", "--top-k", "5"), ("--force", "c a b")],
)
def test_steps_say_what_went_in_what_came_out_and_what_was_probable(command, copy_folder, options):
    answer = steps_of(command, copy_folder, *options)
    steps = answer["steps"]
    assert steps[0]["prefix"] == ["BOS"]
    for before, after in zip(steps, steps[1:], strict=False):
        assert after["prefix"] == [*before["prefix"], before["chosen"]]
    for step in steps:
        assert len(step["top"]) == 10
        shares = [share for _, share in step["top"]]
        assert shares == sorted(shares, reverse=True)
        assert 0 < sum(shares) <= 1 + 1e-5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sample", "--top-p", "0"), "top_p is 0.0"),
        (("--beam", "2", "--sample"), "choose one of --beam and --sample"),
        (("--force", "a " * 300), "the target has 300 tokens, the model room for 111"),
        (("--file", "x"), "not with a SENTENCE"),
    ],
)
def test_what_cannot_be_is_refused(refused, copy_folder, options, said):
    assert said in refused("translate", copy_folder, SENTENCE, *options)


LINES = ["k d a", "", "  a  b ", "z " * 200, "q"]


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_bytes("\ufeff".encode() + "\r\n".join([*LINES, ""]).encode())
    return path


@pytest.fixture(params=[2, 2000])
def at_once(request, monkeypatch):
    monkeypatch.setattr(module, "LINES_AT_ONCE", request.param)


@pytest.mark.usefixtures("at_once")
def test_lines_of_a_file_are_translated_in_their_order(
    command, copy_folder, copy_run, lines, tmp_path
):
    out = tmp_path / "out.txt"
    status, said, error = command("translate", copy_folder, "--file", lines, "--out", out)
    assert (status, said) == (0, "")
    assert "warning: lines cut to fit the model: 1" in error
    expected = [translate(copy_run, line).text if line.strip() else "" for line in LINES]
    assert out.read_text().split("\n") == [*expected, ""]
    assert command("translate", copy_folder, "--file", lines)[1] == out.read_text()


def test_the_sentences_are_not_overwritten(refused, copy_folder, lines):
    before = lines.read_text()
    said = refused("translate", copy_folder, "--file", lines, "--out", lines)
    assert "--out would overwrite the sentences" in said
    assert lines.read_text() == before


def test_each_line_becomes_one_whatever_ends_it_and_whatever_is_written(
    command, copy_folder, tmp_path, monkeypatch
):
    def written(run, texts, beam, alpha, passes):
        return [
            [Translated(index, f"{text}\r\nb\n", False, True) for index, text in enumerate(texts)]
        ]

    monkeypatch.setattr("core.decoding.many.translate_all", written)
    (tmp_path / "lines.txt").write_bytes(b"one\rtwo\r\nthree\n  ")
    _, said, _ = command("translate", copy_folder, "--file", tmp_path / "lines.txt")
    assert said.split("\n") == ["one b ", "two b ", "three b ", " b ", ""]


def test_a_parallel_decoder_is_decoded_by_mask_predict_in_as_many_passes_as_are_asked_for(
    command, refused, parallel_folder, parallel_run, copy_folder
):
    passes = passes_of(parallel_run, "a b c", MaskPredict(3))
    text = parallel_run.target_tokenizer.decode(passes[-1].written)
    status, out, _ = command(
        "translate", parallel_folder, "a b c", "--passes", 3, "--json", "--steps"
    )
    found = json.loads(out)
    assert (status, found["translation"]) == (0, text)
    assert [each["probabilities"] for each in found["passes"]] == [
        list(each.probabilities) for each in passes
    ]
    assert [sum(each["masked"]) for each in found["passes"]] == [
        sum(each.masked) for each in passes
    ]
    _, out, _ = command("translate", parallel_folder, "a b c", "--steps")
    usual = passes_of(parallel_run, "a b c", MaskPredict())
    assert out.splitlines()[0] == parallel_run.target_tokenizer.decode(usual[-1].written)
    assert len(out.splitlines()) == 1 + PASSES
    assert "by mask-predict" in refused("translate", parallel_folder, "a b c", "--beam", 2)
    assert "needs a parallel decoder" in refused("translate", copy_folder, "a", "--passes", 2)
    assert "not 1 to 64" in refused("translate", parallel_folder, "a b c", "--passes", 0)


def test_labels_of_an_encoder_alone_are_printed_and_it_decodes_nothing(
    command, refused, labelling_folder
):
    sentence = "Do the dogs cross the street?"
    said = inspect_sentence(load_run(labelling_folder), sentence).translation.text
    assert command("translate", labelling_folder, sentence)[1] == f"{said}\n"
    _, out, _ = command("translate", labelling_folder, sentence, "--json")
    assert json.loads(out)["labels"] == said
    assert "token by token" in refused("translate", labelling_folder, sentence, "--beam", "2")
