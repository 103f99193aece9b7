"""Half precision is kept on the disk and computed in float32; a GPU gives what the CPU gives."""

import pytest
import torch
from safetensors.torch import load_file

from core.decoding.generate import generate
from core.heads import Head
from core.inspection import inspect_sentence
from core.library.reading import load_library_model
from core.model import Record, Silence, Step
from core.runs.run import load_run
from core.studies.opening.opening import open_model
from core.studies.opening.survey import survey
from tests.core.library.folders import write_tiny
from tests.core.library.random_models import drawn
from tests.core.library.test_library_model import CLOSE, fed


def test_weights_of_half_precision_stay_so_on_the_disk_and_compute_as_float32(tmp_path):
    theirs = write_tiny(tmp_path / "model", "Mistral").to(torch.bfloat16)
    theirs.save_pretrained(tmp_path / "model")
    list(open_model(str(tmp_path / "model"), tmp_path / "run"))
    run = load_run(tmp_path / "run")
    assert run.settings.precision == "bfloat16"
    surveyed = survey(tmp_path / "model")
    assert surveyed.n_bytes / 2 <= surveyed.n_stored < 1.2 * surveyed.n_bytes / 2
    stored = load_file(next((tmp_path / "run" / "checkpoints").iterdir()))
    assert {each.dtype for each in stored.values()} == {torch.bfloat16}
    found = inspect_sentence(run, "The animal did not cross the street.")
    theirs = type(theirs).from_pretrained(
        tmp_path / "model", dtype=torch.float32, attn_implementation="eager"
    )
    with torch.no_grad():
        ids = torch.tensor([found.translation.fed_ids])
        maps = theirs(ids, output_attentions=True).attentions
    for ours_HQK, theirs_BHQK in zip(found.decoder_attentions, maps, strict=True):
        torch.testing.assert_close(torch.tensor(ours_HQK), theirs_BHQK, **CLOSE)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("label", ["GPTNeoX", "MT5", "Roberta"])
def test_a_gpu_gives_what_the_cpu_gives_on_the_cpu(label):
    theirs = drawn(label)
    there, here = (
        load_library_model(theirs.config.to_dict(), theirs.state_dict()) for _ in range(2)
    )
    there.compute_on(torch.device("cuda"))
    assert next(there.library.parameters()).is_cuda
    source, target = fed(label)[0]
    records = [Record(frozenset(Step)), Record(frozenset(Step))]
    with torch.inference_mode():
        found = [
            model(source, target, record)
            for model, record in zip((there, here), records, strict=True)
        ]
        silence = Silence.of([Head(here.sites()[-1], 1)])
        found_silenced = [model(source, target, silence) for model in (there, here)]
        torch.testing.assert_close(*found, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(*found_silenced, atol=1e-4, rtol=1e-4)
        for key, tensor in records[1].tensors.items():
            torch.testing.assert_close(records[0].tensors[key], tensor, atol=1e-4, rtol=1e-4)
        if here.config.n_decoder_layers:
            prompt = None if source is not None else target
            written = [generate(model, source, prompt_BT=prompt) for model in (there, here)]
            assert written[0] == written[1]
            last = records[1].tensors[here.stream_sites("decoder")[-1], Step.STREAM_OUT]
            torch.testing.assert_close(
                *(model.logits(last) for model in (there, here)), atol=1e-4, rtol=1e-4
            )
            torch.testing.assert_close(
                *(model.output_input(last) for model in (there, here)), atol=1e-4, rtol=1e-4
            )
    for stack in here.config.stacks:
        tables = [model.embedding(stack).tokens.weight for model in (there, here)]
        assert torch.equal(*tables)
