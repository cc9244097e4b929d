"""Tiny untrained sentence-transformers models: real folders, real tokenizers, no meaning."""

import subprocess
import sys
from pathlib import Path

# In a process of its own: the tests' process stays light.
MAKING = """
import sys
from pathlib import Path
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Pooling, Transformer
from transformers import BertConfig, BertModel, BertTokenizerFast
for folder, size in zip(sys.argv[1::2], map(int, sys.argv[2::2])):
    torch.manual_seed(size)
    home = Path(folder) / "bert"
    home.mkdir(parents=True)
    letters = [*"abcdefghijklmnopqrstuvwxyz0123456789.:?"]
    signs = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = [*signs, *letters, *("##" + one for one in letters)]
    (home / "vocab.txt").write_text("\\n".join(words))
    BertTokenizerFast(str(home / "vocab.txt")).save_pretrained(home)
    config = BertConfig(
        vocab_size=len(words), hidden_size=size, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=size, max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(home)
    whole = Transformer(str(home))
    SentenceTransformer(modules=[whole, Pooling(size)]).save(folder)
"""


def make(**sizes: Path) -> None:
    """Write a model into each folder; its key is its dimension, as `d32=folder`."""
    arguments = [text for name, folder in sizes.items() for text in (str(folder), name[1:])]
    done = subprocess.run(
        [sys.executable, "-c", MAKING, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
