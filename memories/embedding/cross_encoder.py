"""The cross-encoder: sentence-transformers on the CPU, in float32. Only the embedder process
imports torch, and late.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from django.utils.translation import gettext as _

from memories.embedding.batching import TEXT_TOKENS
from memories.embedding.engine import LETTERS_PER_TOKEN, limit_memory_and_threads, slim
from memories.embedding.weights import Source, WeightsError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder
    from transformers import PreTrainedModel

JUDGING = ("ForSequenceClassification", "ForCausalLM")
"""Of the kinds of model, those that were trained to judge. Any other would be loaded, too, but with
a judgement made up at random.
"""


class CrossEncoderScorer:
    """A sentence-transformers cross-encoder behind the Scorer protocol."""

    def __init__(self, encoder: CrossEncoder, model: str) -> None:
        self.model = model
        self._encoder = encoder
        self._letters = LETTERS_PER_TOKEN * (encoder.max_seq_length or TEXT_TOKENS)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """One forward pass: the sigmoid of each pair's logit, whatever the model makes of it by
        itself. A pair is read up to 512 tokens.
        """
        import torch

        read = [(query[: self._letters], text[: self._letters]) for query, text in pairs]
        scores = self._encoder.predict(
            read,
            batch_size=len(read),
            activation_fn=torch.nn.Sigmoid(),
            show_progress_bar=False,
            convert_to_tensor=True,
        )
        found: list[float] = scores.tolist()
        return found


def load_scorer(model: str, threads: int, phase: Callable[[str], None]) -> CrossEncoderScorer:
    """Load a cross-encoder by its hub name, name@revision or folder, and run it once.

    Raises WeightsError with a sentence for the operator.
    """
    limit_memory_and_threads(threads)
    source = source_of(model)
    phase("importing")
    encoder = load_encoder(source, threads, phase)
    scorer = CrossEncoderScorer(encoder, model)
    phase("warming up")
    scorer.score([("hello 你好", "hello 你好")])
    return scorer


def source_of(model: str) -> Source:
    """Decide what RERANK_MODEL means. Raises WeightsError for a folder that is not there."""
    if Path(model).is_dir():
        return Source(model, local=True)
    if model.startswith(("/", "./", "../", "~")):
        raise WeightsError(
            _("RERANK_MODEL names the folder %(path)s, which does not exist.") % {"path": model}
        )
    name, _at, revision = model.partition("@")
    return Source(name, revision=revision or None)


def load_encoder(source: Source, threads: int, phase: Callable[[str], None]) -> CrossEncoder:
    """Load the weights. Raises WeightsError for a model that is no reranker."""
    import torch
    import transformers
    from sentence_transformers import CrossEncoder

    torch.set_num_threads(threads)
    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    phase("loading")
    encoder: CrossEncoder = CrossEncoder(
        source.location,
        device="cpu",
        revision=source.revision,
        local_files_only=source.local,
        model_kwargs={"dtype": torch.float32},
    )
    inner = encoder.transformers_model
    if encoder.num_labels != 1 or not judges(inner):
        raise WeightsError(
            _(
                "%(name)s is no cross-encoder with one score. Set RERANK_MODEL to one, such as"
                " BAAI/bge-reranker-v2-m3, or leave it empty."
            )
            % {"name": source.location}
        )
    encoder.max_seq_length = min(encoder.max_seq_length or TEXT_TOKENS, TEXT_TOKENS)
    if not inner.get_output_embeddings():  # type: ignore[no-untyped-call]
        slim(encoder)  # nothing but looking words up is done with their table
    return encoder


def judges(inner: PreTrainedModel | None) -> TypeGuard[PreTrainedModel]:
    """Whether a loaded model was trained to judge, by what its weights say of themselves."""
    kinds = inner.config.architectures if inner else None
    return any(kind.endswith(JUDGING) for kind in kinds or ())
