"""Layers in bfloat16, where the processor has units for it: nearly the same vectors (I4)."""

import json
import subprocess
import sys
from pathlib import Path

from tests.memories.embedding import tiny
from tests.services import PROJECT

# In a process of its own: the tests' process stays light.
QUICKENED = """
import json, sys
from sentence_transformers import SentenceTransformer
from memories.embedding.engine import TransformerEngine, quicken, slim
texts = ["alpha beta", "gamma", "a text of ten words and some more of them"]
model = SentenceTransformer(sys.argv[1], device="cpu").eval()
slim(model)
engine = TransformerEngine(model, "tiny@1")
before = engine.encode(texts).vectors
quicken(model)
after = engine.encode(texts).vectors
kinds = {str(each.dtype) for each in model.transformers_model.encoder.parameters()}
print(json.dumps({"before": before, "after": after, "kinds": sorted(kinds)}))
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
    assert told["kinds"] == ["torch.bfloat16"]
    for one, other in zip(told["before"], told["after"], strict=True):
        assert one != other
        assert sum(x * y for x, y in zip(one, other, strict=True)) > 0.9995
        assert abs(sum(x * x for x in other) - 1) < 1e-5
