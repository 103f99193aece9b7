from core.heads import Head
from core.runs.run import load_run
from core.studies.heads.findings import antecedent_head, pronoun_step
from core.tasks import TASKS
from tests.core.conftest import GALLERY

TIRED = "The animal didn't cross the street because it was too tired."


def test_the_step_that_writes_the_pronoun_is_known_where_the_grammar_makes_the_sentence():
    run = load_run(GALLERY / "translate-guided")
    task = TASKS["translate"]
    ids = run.tokenizer.encode(task.reference(TIRED)).ids
    step = pronoun_step(task, run.tokenizer, TIRED, ids)
    assert run.tokenizer.describe([ids[step]])[0].text == "il"
    assert pronoun_step(task, run.tokenizer, TIRED, ids[:5]) == step
    other = (*ids[:3], ids[3] + 1, *ids[4:])
    assert pronoun_step(task, run.tokenizer, TIRED, other) is None
    assert pronoun_step(task, run.tokenizer, "The animal slept.", ids) is None
    assert pronoun_step(TASKS["copy"], run.tokenizer, TIRED, ids) is None
    assert pronoun_step(None, run.tokenizer, TIRED, ids) is None


def test_no_head_finds_antecedents_that_a_rule_finds_as_often():
    found = {name: antecedent_head(load_run(GALLERY / name)) for name in ("translate", "heads-one")}
    assert found == {"translate": Head.parse("encoder.2.self:3"), "heads-one": None}
