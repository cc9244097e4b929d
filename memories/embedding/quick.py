"""A model's layers in bfloat16, where the processor has units for it and takes less time so.

Imports torch: only the embedder process comes here.
"""

from functools import partial
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from torch import Tensor, nn

STEP = 16
"""Tokens of which texts have a multiple: the rows of a unit."""


def multiplies_bfloat16() -> bool:
    """Whether the processor has units for matrices of bfloat16 (AMX); others lose time by it."""
    return bool(torch.cpu.get_capabilities().get("amx_bf16"))


def quicken(transformer: SentenceTransformer) -> None:
    """Let the layers of a BERT-like model compute in bfloat16; other models stay as they are.

    The vectors are nearly those of float32: they are one space, and a database may move between
    processors. What comes in and what goes out, the mean and the length are computed in float32.
    """
    layers = getattr(transformer.transformers_model, "encoder", None)
    if not isinstance(layers, nn.Module):
        return
    layers.to(torch.bfloat16)
    _pack(layers)
    transformer.register_forward_pre_hook(partial(_lengthened, transformer.max_seq_length))
    layers.register_forward_pre_hook(_narrowed, with_kwargs=True)
    layers.register_forward_hook(_widened)


class Packed(nn.Module):
    """A linear layer whose weights lie as the units read them.

    torch.nn.Linear lays them anew for each text, which tells in the time of a short one.
    """

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self._weight = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach())
        self._bias = None if layer.bias is None else layer.bias.detach()

    def forward(self, rows: Tensor) -> Tensor:
        made: Tensor = torch.ops.mkldnn._linear_pointwise(
            rows, self._weight, self._bias, "none", [], ""
        )
        return made


def _pack(module: nn.Module) -> None:
    for name, child in module.named_children():
        if type(child) is nn.Linear:
            setattr(module, name, Packed(child))
        else:
            _pack(child)


def _lengthened(
    most: int | None, _module: Any, inputs: tuple[dict[str, Any], ...]
) -> tuple[dict[str, Any], ...]:
    """Fill texts up to a multiple of STEP tokens, which are masked and change nothing.

    A unit multiplies as many rows at once in any case. And of each other length oneDNN would keep
    kernels of some megabytes for ever.
    """
    features, *others = inputs
    length = features["attention_mask"].shape[1]
    filled = min(-length % STEP, (most or length + STEP) - length)

    def fill(value: Any) -> Any:
        of_tokens = isinstance(value, Tensor) and value.shape[1:] == (length,)
        return nn.functional.pad(value, (0, filled)) if of_tokens else value

    return {name: fill(value) for name, value in features.items()}, *others


def _narrowed(_module: Any, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    def narrow(value: Any) -> Any:
        floats = isinstance(value, Tensor) and value.is_floating_point()
        return value.bfloat16() if floats else value

    return tuple(map(narrow, inputs)), {name: narrow(value) for name, value in named.items()}


def _widened(_module: Any, _inputs: Any, output: Any) -> Any:
    output.last_hidden_state = output.last_hidden_state.float()
    return output
