"""Layers in bfloat16, where the processor has units for it: nearly the same vectors (I4)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.memories.embedding import tiny
from tests.services import PROJECT

# In a process of its own: the tests' process stays light.
QUICKENED = """
import json, sys
from sentence_transformers import SentenceTransformer
from memories.embedding.engine import TransformerEngine, slim
from memories.embedding.quick import multiplies_bfloat16, quicken
if not multiplies_bfloat16():
    print("null")
    raise SystemExit
texts = ["alpha beta", "gamma", "a text of ten words and some more of them"]
model = SentenceTransformer(sys.argv[1], device="cpu").eval()
slim(model)
engine = TransformerEngine(model, "tiny@1")
before = engine.encode(texts).vectors
quicken(model)
after = engine.encode(texts).vectors
lengths = []
layers = model.transformers_model.encoder
layers.register_forward_pre_hook(lambda _module, inputs: lengths.append(inputs[0].shape[1]))
for words in range(1, 20):
    engine.encode(["alpha " * words])
kinds = {str(each.dtype) for each in model.transformers_model.encoder.parameters()}
other = SentenceTransformer(sys.argv[1], device="cpu").eval()
other.transformers_model.config.hidden_act = "relu"
quicken(other)
told = {"before": before, "after": after, "kinds": sorted(kinds), "lengths": lengths}
told["layers"] = [type(each.transformers_model.encoder).__name__ for each in (model, other)]
print(json.dumps(told | {"tokens": engine.encode(["alpha"]).tokens}))
"""


def test_layers_in_bfloat16_make_nearly_the_same_vectors(tmp_path: Path) -> None:
    tiny.make(d32=tmp_path / "model")
    done = subprocess.run(
        [sys.executable, "-c", QUICKENED, str(tmp_path / "model")],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    if told is None:
        pytest.skip("this processor has no units for bfloat16")
    assert told["layers"] == ["Layers", "BertEncoder"]  # what it cannot do it leaves alone
    assert told["kinds"] == ["torch.bfloat16"]
    assert {length % 16 for length in told["lengths"]} == {0}  # kernels are kept of each length
    assert told["tokens"][0] < 16  # what is filled up is not counted
    for one, other in zip(told["before"], told["after"], strict=True):
        assert one != other
        assert sum(x * y for x, y in zip(one, other, strict=True)) > 0.9995
        assert abs(sum(x * x for x in other) - 1) < 1e-5
