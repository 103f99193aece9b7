"""What is opened as a model of the library, and what is refused with a sentence."""

import json
import os
import re

import pytest
from transformers import BertConfig, BertForSequenceClassification

from core.inspection import inspect_sentence
from core.library.checkpoint import OpeningError
from core.library.reading import library_class, outline, settings_of
from core.messages import MessageError
from core.runs.run import RunError, load_run
from core.studies.opening.opening import open_model
from core.tokenizer.fast_tokenizer import FastTokenizer
from tests.core.library.folders import byte_level, write_bert, write_tiny

TEXT = "The animal did not cross the street."


def opened(folder, source=None):
    list(open_model(str(source or folder / "model"), folder / "run"))
    return load_run(folder / "run")


def test_a_word_is_masked_by_the_sign_that_people_write():
    fast = byte_level()
    fast.add_special_tokens(["<mask>"])
    tokenizer = FastTokenizer(fast.to_str(), fast.get_vocab_size())
    assert tokenizer.mask_id in tokenizer.encode("The [MASK] street").ids


def test_a_classifier_is_opened_without_its_head(tmp_path):
    (tmp_path / "model").mkdir()
    size = write_bert(tmp_path / "model")
    config = BertConfig(
        vocab_size=size, hidden_size=32, intermediate_size=40, num_hidden_layers=2,
        num_attention_heads=4,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(tmp_path / "model")
    run = opened(tmp_path)
    assert not run.model.config.has_output
    assert len(inspect_sentence(run, TEXT).attention) == 2


def test_a_snapshot_of_the_hub_is_opened_though_its_files_are_links(tmp_path):
    write_tiny(tmp_path / "model", "Mistral")
    cache = tmp_path / "models--a--b"
    snapshot, blobs = cache / "snapshots" / "0123abcd", cache / "blobs"
    for folder in (snapshot, blobs):
        folder.mkdir(parents=True)
    for number, file in enumerate((tmp_path / "model").iterdir()):
        file.rename(blobs / str(number))
        os.symlink(f"../../blobs/{number}", snapshot / file.name)
    assert opened(tmp_path, snapshot).settings.family == "Mistral"


CHANGES = {
    "hidden_size": (2**62, "hidden_size is 4611686018427387904, more than"),
    "num_hidden_layers": (100_000, "num_hidden_layers is 100000, more than 256"),
    "vocab_size": (2**30, "config.json speaks of"),
    "num_attention_heads": ("many", "transformers cannot make this model"),
    "architectures": (["MistralForTokenClassification"], "is none of the classes"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_damaged_config_is_refused_with_a_sentence(name, tmp_path):
    write_tiny(tmp_path / "model", "Mistral")
    value, sentence = CHANGES[name]
    file = tmp_path / "model" / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {name: value}))
    with pytest.raises(RunError, match=re.escape(sentence)):
        opened(tmp_path)
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_what_a_file_says_there_are_many_of_is_not_made():
    labels = {str(number): "x" for number in range(3)}
    for more in ({"num_labels": 2 * 10**9}, {"id2label": labels}):
        assert settings_of({"model_type": "gpt2"} | more).num_labels == 2
    many = {"model_type": "albert", "architectures": ["AlbertForMaskedLM"]}
    with pytest.raises(OpeningError, match="more parts than any model has"):
        outline(many | {"inner_group_num": 10**8})


def test_code_that_comes_with_a_model_is_not_run(tmp_path):
    write_tiny(tmp_path / "model", "Mistral")
    file = tmp_path / "model" / "config.json"
    mine = {"auto_map": {"AutoModelForCausalLM": "modeling_mine.Mine"}}
    file.write_text(json.dumps(json.loads(file.read_text()) | mine))
    about = tmp_path / "model" / "tokenizer_config.json"
    about.write_text('{"auto_map": {"AutoTokenizer": ["modeling_mine.Mine", null]}}')
    (tmp_path / "model" / "modeling_mine.py").write_text("raise SystemExit")
    assert opened(tmp_path).settings.model.architecture == "MistralForCausalLM"


def test_a_run_whose_files_speak_of_different_models_is_refused(tmp_path):
    write_tiny(tmp_path / "model", "Mistral")
    file = opened(tmp_path).path / "run.json"
    stored = json.loads(file.read_text())
    stored["model"]["n_heads"] = 2
    file.write_text(json.dumps(stored))
    with pytest.raises(RunError, match="different models"):
        load_run(tmp_path / "run")


@pytest.mark.parametrize("lacks", ["architecture", "tokenizer.json"])
def test_a_run_that_an_older_version_opened_says_how_to_open_it_again(lacks, tmp_path):
    write_tiny(tmp_path / "model", "Mistral")
    run = opened(tmp_path)
    file = run.path / "run.json"
    stored = json.loads(file.read_text())
    if lacks == "architecture":
        # What it knew of the model's layers is not known now.
        stored["model"] |= {"rotary_scaling": [8.0, 1.0, 4.0, 64.0]}
        del stored["model"]["architecture"]
        file.write_text(json.dumps(stored))
    else:
        (run.path / lacks).unlink()
    with pytest.raises(RunError, match=re.escape(f"open it again: {run.settings.command}")):
        load_run(run.path)


@pytest.mark.parametrize(
    ("model_type", "name", "label", "stacks", "has_output"),
    [
        ("bart", "BartForConditionalGeneration", "Bart", ("encoder", "decoder"), True),
        ("bart", "BartModel", "Bart", ("encoder", "decoder"), True),
        ("roberta", "RobertaForMaskedLM", "Roberta", ("encoder",), True),
        ("gpt_neox", "GPTNeoXForCausalLM", "GPTNeoX", ("decoder",), True),
        ("llama", "LlamaForSequenceClassification", "Llama", ("encoder",), False),
        ("mpnet", "MPNetModel", "MPNet", ("encoder",), False),
    ],
)
def test_a_class_is_found_by_its_name(model_type, name, label, stacks, has_output):
    found = library_class({"model_type": model_type, "architectures": [name]})
    assert (found.label, found.stacks, found.has_output) == (label, stacks, has_output)


def test_a_classifier_with_a_decoder_is_refused_with_a_sentence():
    told = {"model_type": "bart", "architectures": ["BartForSequenceClassification"]}
    with pytest.raises(MessageError, match="BartForSequenceClassification has a decoder"):
        library_class(told)
