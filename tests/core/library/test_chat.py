"""A chat model is asked as its makers' template wants it, whatever that template does."""

import json
import shutil
from dataclasses import replace

import pytest
from transformers import PreTrainedTokenizerFast

from core.__main__ import main
from core.decoding.sentence import SentenceError, model_input, translate
from core.library import chat
from core.library.chat import ChatTemplate, chat_template
from core.runs.run import RunError, load_run, read_settings
from core.studies.opening.opening import open_model
from tests.core.library.folders import write_tiny

TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|user|> {{ message['content'] | trim }}\n"
    "{% endfor %}{% if add_generation_prompt %}<|model|>{% endif %}"
)
ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
TEXT = " The capital of France is "


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A folder with a chat template, and its run."""
    folder = tmp_path_factory.mktemp("chat")
    write_tiny(folder / "model", "Mistral")
    about = {"chat_template": TEMPLATE, "add_bos_token": True, "bos_token": "<|begin|>"}
    (folder / "model" / "tokenizer_config.json").write_text(json.dumps(about))
    config = json.loads((folder / "model" / "config.json").read_text())
    fast = PreTrainedTokenizerFast(tokenizer_file=str(folder / "model" / "tokenizer.json"))
    config["bos_token_id"] = fast.convert_tokens_to_ids("<|begin|>")
    (folder / "model" / "config.json").write_text(json.dumps(config))
    list(open_model(str(folder / "model"), folder / "run"))
    return fast, load_run(folder / "run")


def test_the_model_is_fed_what_transformers_feeds_it(opened):
    fast, run = opened
    fast.bos_token = "<|begin|>"
    theirs = fast.apply_chat_template(
        [{"role": "user", "content": TEXT}],
        chat_template=TEMPLATE,
        add_generation_prompt=True,
        return_dict=False,
    )
    ours = model_input(replace(run, chats=True), TEXT).prompt
    assert list(ours) == theirs
    assert ours[0] != ours[1]
    assert len(model_input(run, TEXT).prompt) < len(ours)
    assert translate(replace(run, chats=True, max_new_tokens=2), TEXT).n_given == len(ours) - 1


def test_what_does_not_fit_with_the_template_is_refused(opened):
    _, run = opened
    with pytest.raises(SentenceError, match="with its chat template the text has"):
        model_input(replace(run, chats=True), TEXT * 20)
    with pytest.raises(SentenceError, match="no text"):
        model_input(replace(run, chats=True), "")


def test_the_command_line_asks_with_the_template_where_there_is_one(opened, capsys):
    _, run = opened
    asked = ["inspect", str(run.path), TEXT, "--max-new-tokens", "0", "--json"]
    fed = []
    for arguments in (asked, [*asked, "--chat"]):
        assert main(arguments) == 0
        fed.append(json.loads(capsys.readouterr().out)["target"]["fed"])
    assert len(fed[1]) > len(fed[0])
    assert main(["translate", "gallery/copy", "a b", "--chat"]) == 2
    assert "--chat: this model has no chat template" in capsys.readouterr().err


def test_the_template_stands_in_run_json(opened):
    _, run = opened
    assert read_settings(run.path).chat == ChatTemplate("<|begin|><|user|> ", "\n<|model|>")


@pytest.mark.parametrize(
    "change",
    [{"chat": {"before": "x" * 20_001, "after": "", "problem": ""}}, {"n_left_out": float("inf")}],
    ids=str,
)
def test_a_run_that_says_more_than_any_model_is_refused(opened, tmp_path, change):
    _, run = opened
    path = shutil.copytree(run.path, tmp_path / "run")
    stored = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps(stored | change))
    with pytest.raises(RunError, match=r"run\.json: .+"):
        read_settings(path)


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("{{ messages.__class__.__mro__ }}", "unsafe"),
        # Each waits for a process.
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (
                ("{{ raise_exception('no system') }}", "no system"),
                ("{% if %}", "TemplateSyntaxError"),
                ("hello", "does not write a text once"),
                ("{{ 'a' * 10**11 }}", "MemoryError"),
                (ENDLESS, "longer"),
            )
        ),
    ],
)
def test_a_template_that_cannot_be_used_says_why(template, why, monkeypatch):
    # Of the others none fails for its time, however slow the machine is.
    monkeypatch.setattr(chat, "_SECONDS", 8 if template == ENDLESS else 300)
    assert why in chat_template(template, {}).problem
