"""The engine: sentence-transformers on the CPU. Only the embedder process imports
torch, and late.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memories.embedding.batching import Encoded
from memories.embedding.weights import Source, fingerprint, prepare

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder, SentenceTransformer

M_ARENA_MAX = -8
M_MMAP_THRESHOLD = -3
LETTERS_PER_TOKEN = 16
"""No token of the vocabularies seen is longer, so letters beyond this times the model's length are
never read.
"""


def limit_memory_and_threads(threads: int) -> None:
    """Before torch is imported: one pool of `threads`, two malloc arenas instead of eight for each
    core, and blocks of 16 MB and more given back at once. With 4 MB, 136 MB less stayed after bulk
    work, but a text took half as long again and more.
    """
    os.environ["OMP_NUM_THREADS"] = str(threads)
    # Threads that wait spin for a moment only, then sleep: by default they would take, for long
    # after each text, the processor that the database needs next.
    os.environ["GOMP_SPINCOUNT"] = "20000"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    try:
        libc = ctypes.CDLL(None)
        libc.mallopt(M_ARENA_MAX, 2)
        libc.mallopt(M_MMAP_THRESHOLD, 16 * 1024 * 1024)
    except (AttributeError, OSError, TypeError):  # not glibc
        return


class TransformerEngine:
    """A sentence-transformers model behind the Engine protocol; vectors have unit length."""

    def __init__(self, transformer: SentenceTransformer, model: str) -> None:
        self.model = model
        self.dimension = transformer.get_embedding_dimension() or 0
        self._transformer = transformer
        self._letters = LETTERS_PER_TOKEN * (transformer.max_seq_length or 512)

    def encode(self, texts: Sequence[str]) -> Encoded:
        """One forward pass. Each text is read up to the model's length (512 tokens for the
        default).
        """
        import torch

        features = self._transformer.preprocess([text[: self._letters] for text in texts])
        with torch.inference_mode():
            output = self._transformer(features)["sentence_embedding"]
            vectors = torch.nn.functional.normalize(output.float(), dim=1)
        return Encoded(vectors.tolist(), features["attention_mask"].sum(dim=1).tolist())


def load_engine(
    model: str, home: Path, threads: int, phase: Callable[[str], None]
) -> TransformerEngine:
    """Unpack or find the weights, load them and run them once.

    Raises WeightsError with a sentence for the operator.
    """
    limit_memory_and_threads(threads)
    phase("unpacking")
    source = prepare(model, home)
    phase("importing")
    transformer = load_transformer(source, threads, phase)
    engine = TransformerEngine(transformer, fingerprint(source, transformer))
    phase("warming up")
    engine.encode(["query: hello 你好"])
    return engine


def load_transformer(
    source: Source, threads: int, phase: Callable[[str], None]
) -> SentenceTransformer:
    import torch
    import transformers
    from sentence_transformers import SentenceTransformer

    from memories.embedding.quick import multiplies_bfloat16, quicken

    torch.set_num_threads(threads)
    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    phase("loading")
    transformer = SentenceTransformer(
        source.location,
        device="cpu",
        revision=source.revision,
        local_files_only=source.local,
        model_kwargs={"dtype": torch.float32},
    )
    slim(transformer)
    if multiplies_bfloat16():
        quicken(transformer)
    return transformer.eval()


def slim(transformer: SentenceTransformer | CrossEncoder) -> None:
    """Keep the word table in float16 and let go of the mapped file, 115 MB less.

    The table is most of such a model and is only looked up, never multiplied; everything is
    computed in float32.
    """
    inner = transformer.transformers_model
    if inner is None:
        return
    table = inner.get_input_embeddings().half()
    table.register_forward_hook(lambda _module, _inputs, output: output.float())
    for parameter in inner.parameters():
        parameter.data = parameter.data.clone()
