"""Stand-ins for a cross-encoder: a stub, and tiny untrained models in real folders."""

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path


class StubScorer:
    """Judges a document by the number it holds. `gate` holds each forward pass until it is set."""

    model = "team/judge"

    def __init__(self) -> None:
        self.slices: list[list[tuple[str, str]]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.slices.append(list(pairs))
        self.entered.set()
        assert self.gate.wait(60)
        return [float(document) for _query, document in pairs]


# In a process of its own: the tests' process stays light. The logits are transformers' own.
MAKING = """
import json, sys
from pathlib import Path
import torch
from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizerFast
home, query, *documents = sys.argv[1:]
letters = [*"abcdefghijklmnopqrstuvwxyz0123456789.:?"]
signs = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
words = [*signs, *letters, *("##" + one for one in letters)]
for name, kind, labels in [
    ("judge", BertForSequenceClassification, 1),
    ("classes", BertForSequenceClassification, 3),
    ("embedding", BertModel, 2),
]:
    folder = Path(home) / name
    folder.mkdir()
    (folder / "vocab.txt").write_text("\\n".join(words))
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"))
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64, initializer_range=0.5, num_labels=labels,
    )
    # Many a cross-encoder says of itself that its logits are to be left as they are.
    config.sentence_transformers = {"activation_fn": "torch.nn.modules.linear.Identity"}
    model = kind(config).eval()
    model.save_pretrained(folder)
    if name == "judge":
        with torch.inference_mode():
            read = [tokenizer(query, one, return_tensors="pt", truncation=True, max_length=64)
                    for one in documents]
            print(json.dumps([float(model(**one).logits) for one in read]))
"""


def make(home: Path, query: str, documents: Sequence[str]) -> list[float]:
    """Write three models below a folder: judge, classes (of three labels) and embedding (of none).

    Returns the judge's logits for the documents.
    """
    done = subprocess.run(
        [sys.executable, "-c", MAKING, str(home), query, *documents],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    logits: list[float] = json.loads(done.stdout)
    return logits
