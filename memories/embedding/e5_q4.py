"""Reader for the 4-bit multilingual-e5-small file, and writer of the model folder made from it.

The file begins with `E5S1`, then little-endian: shape numbers, the vocabulary with its unigram
scores, a normaliser table (not used), and a directory of tensors. A tensor is either float32 or
rows of 18-byte blocks of 32 weights: one float16 scale and 16 bytes, whose low nibbles are the
first 16 weights and whose high nibbles the last 16, each minus 8.

Torch is not imported: the folder is written with numpy, safetensors and tokenizers, in about 3 s.
"""

from __future__ import annotations

import json
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

MAGIC = b"E5S1"
BLOCK = 32
BLOCK_BYTES = 18
MAX_TOKENS = 512

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers of the transformer, and the ids of its special tokens."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int
    epsilon: float
    pieces: int
    bos: int
    eos: int
    pad: int
    unk: int


class Cursor:
    """Reads little-endian values one after another."""

    def __init__(self, raw: bytes | memoryview) -> None:
        self.raw = raw
        self.at = 0

    def values(self, fmt: str) -> tuple[Any, ...]:
        found = struct.unpack_from("<" + fmt, self.raw, self.at)
        self.at += struct.calcsize("<" + fmt)
        return found

    def one(self, fmt: str) -> Any:
        return self.values(fmt)[0]

    def take(self, count: int) -> bytes:
        part = bytes(self.raw[self.at : self.at + count])
        self.at += count
        return part


class E5File:
    """The parsed file: `shape`, `vocabulary` (piece, score), and tensors, read when asked for."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._raw = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        cursor = Cursor(self._raw)
        if cursor.take(4) != MAGIC:
            raise ValueError(f"{path.name} does not begin with {MAGIC.decode()}")
        self.shape, text_bytes = read_shape(cursor)
        self.vocabulary = read_vocabulary(cursor, self.shape.pieces, text_bytes)
        cursor.one("i")
        cursor.take(cursor.one("I"))  # the normaliser table
        self._offsets = read_directory(cursor)

    def plain(self, name: str, *shape: int) -> Floats:
        """A float32 tensor as it is stored."""
        count = int(np.prod(shape))
        return np.frombuffer(self._raw, np.float32, count, self._offsets[name]).reshape(shape)

    def quantised(self, name: str, rows: int, columns: int) -> Floats:
        """A 4-bit tensor as float32, exactly: weight = scale · (nibble − 8)."""
        blocks = rows * columns // BLOCK
        size = blocks * BLOCK_BYTES
        flat = np.frombuffer(self._raw, np.uint8, size, self._offsets[name])
        stored = flat.reshape(blocks, BLOCK_BYTES)
        scale = stored[:, :2].copy().view(np.float16).astype(np.float32)
        nibbles = stored[:, 2:]
        weights = np.empty((blocks, BLOCK), np.float32)
        weights[:, : BLOCK // 2] = nibbles & 15
        weights[:, BLOCK // 2 :] = nibbles >> 4
        weights -= 8
        weights *= scale
        return weights.reshape(rows, columns)


def read_shape(cursor: Cursor) -> tuple[Shape, int]:
    """The shape, and how many bytes the vocabulary's text takes."""
    cursor.one("I")  # format version
    sizes = cursor.values("7i")
    epsilon = cursor.one("f")
    cursor.one("i")  # block size code
    specials = cursor.values("5i")
    return Shape(*(*sizes, epsilon, *specials)), int(cursor.one("Q"))


def read_vocabulary(cursor: Cursor, pieces: int, text_bytes: int) -> list[tuple[str, float]]:
    ends = np.frombuffer(cursor.take((pieces + 1) * 4), np.uint32)
    scores = np.frombuffer(cursor.take(pieces * 4), np.float32)
    text = cursor.take(text_bytes)
    return [
        (text[start:end].decode(), float(score))
        for start, end, score in zip(ends[:-1], ends[1:], scores, strict=True)
    ]


def read_directory(cursor: Cursor) -> dict[str, int]:
    """Byte offset of each tensor in the file."""
    offsets = {}
    for _ in range(cursor.one("i")):
        name = cursor.take(cursor.one("H")).decode()
        _kind, _count, offset, _size = cursor.values("BIQQ")
        offsets[name] = offset
    return offsets


def tensors(file: E5File) -> dict[str, Floats]:
    """All weights under the names that transformers' BertModel uses."""
    s = file.shape
    named = {
        "embeddings.word_embeddings.weight": file.quantised("emb.word", s.vocabulary, s.hidden),
        "embeddings.position_embeddings.weight": file.plain("emb.pos", s.positions, s.hidden),
        "embeddings.token_type_embeddings.weight": file.plain("emb.type", s.token_types, s.hidden),
        "embeddings.LayerNorm.weight": file.plain("emb.ln.w", s.hidden),
        "embeddings.LayerNorm.bias": file.plain("emb.ln.b", s.hidden),
    }
    for layer in range(s.layers):
        named |= layer_tensors(file, layer)
    return named


def layer_tensors(file: E5File, layer: int) -> dict[str, Floats]:
    hidden, wide = file.shape.hidden, file.shape.feed_forward
    dense = {
        "q": ("attention.self.query", hidden, hidden),
        "k": ("attention.self.key", hidden, hidden),
        "v": ("attention.self.value", hidden, hidden),
        "ao": ("attention.output.dense", hidden, hidden),
        "fi": ("intermediate.dense", wide, hidden),
        "fo": ("output.dense", hidden, wide),
    }
    norms = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}
    source, target = f"l{layer}", f"encoder.layer.{layer}"
    named = {}
    for short, (long, rows, columns) in dense.items():
        named[f"{target}.{long}.weight"] = file.quantised(f"{source}.{short}.w", rows, columns)
        named[f"{target}.{long}.bias"] = file.plain(f"{source}.{short}.b", rows)
    for short, long in norms.items():
        named[f"{target}.{long}.weight"] = file.plain(f"{source}.{short}.w", hidden)
        named[f"{target}.{long}.bias"] = file.plain(f"{source}.{short}.b", hidden)
    return named


def tokenizer(file: E5File) -> Tokenizer:
    """The unigram tokenizer made of the file's own vocabulary."""
    shape = file.shape
    made = Tokenizer(models.Unigram(file.vocabulary, unk_id=shape.unk))
    made.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    )
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    made.decoder = decoders.Metaspace()
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", shape.bos), ("</s>", shape.eos)],
    )
    return made


def bert_config(shape: Shape) -> dict[str, Any]:
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.feed_forward,
        "max_position_embeddings": shape.positions,
        "type_vocab_size": shape.token_types,
        "layer_norm_eps": shape.epsilon,
        "pad_token_id": shape.pad,
        "hidden_act": "gelu",
        "dtype": "float32",
    }


def tokenizer_config() -> dict[str, Any]:
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": MAX_TOKENS,
        "bos_token": "<s>",
        "cls_token": "<s>",
        "eos_token": "</s>",
        "sep_token": "</s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
    }


def modules() -> list[dict[str, Any]]:
    """Transformer → mean pooling → unit length, as sentence-transformers lists them."""
    places = [("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")]
    return [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (kind, path) in enumerate(places)
    ]


def write_folder(source: Path, folder: Path) -> None:
    """Write a sentence-transformers model folder from the 4-bit file `source` into the empty
    `folder`.

    Weights are stored as float32: exact, and mapped by the loader without a second copy in memory.
    Raises OSError when the disk is full. The caller has verified the file's digest.
    """
    file = E5File(source)
    pooling = {"word_embedding_dimension": file.shape.hidden, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling").mkdir()
    (folder / "2_Normalize").mkdir()
    write_json(folder / "config.json", bert_config(file.shape))
    write_json(folder / "tokenizer_config.json", tokenizer_config())
    write_json(folder / "modules.json", modules())
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": MAX_TOKENS})
    write_json(folder / "1_Pooling" / "config.json", pooling)
    tokenizer(file).save(str(folder / "tokenizer.json"), pretty=False)
    save_file(tensors(file), folder / "model.safetensors", metadata={"format": "pt"})


def write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")
