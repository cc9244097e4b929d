"""A model's layers in bfloat16, where the processor has units for it and takes less time so.

Imports torch: only the embedder process comes here.
"""

from functools import partial
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from torch import Tensor, nn
from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions as Output
from transformers.models.bert.modeling_bert import BertEncoder
from transformers.models.xlm_roberta.modeling_xlm_roberta import XLMRobertaEncoder

STEP = 16
"""Tokens of which texts have a multiple: the rows of a unit."""


def multiplies_bfloat16() -> bool:
    """Whether the processor has units for matrices of bfloat16 (AMX); others lose time by it."""
    return bool(torch.cpu.get_capabilities().get("amx_bf16"))


def quicken(transformer: SentenceTransformer) -> None:
    """Let the layers of a BERT compute in bfloat16; other models stay as they are.

    The vectors are nearly those of float32: they are one space, and a database may move between
    processors. What comes in and what goes out, the mean and the length are computed in float32.
    """
    model = transformer.transformers_model
    layers = getattr(model, "encoder", None)
    if model and isinstance(layers, BertEncoder | XLMRobertaEncoder) and _usual(layers.config):
        model.encoder = Layers(layers)
        transformer.register_forward_pre_hook(partial(_lengthened, transformer.max_seq_length))


def _usual(config: Any) -> bool:
    """Whether layers do what Layer does."""
    return config.hidden_act == "gelu" and not config.is_decoder


class Layers(nn.Module):
    """The layers of a BERT in bfloat16, told what its own are and answering as they do."""

    def __init__(self, layers: BertEncoder | XLMRobertaEncoder) -> None:
        super().__init__()
        self.layers = nn.ModuleList(map(Layer, layers.to(torch.bfloat16).layer))

    def forward(self, rows: Tensor, attention_mask: Tensor | None = None, **_others: Any) -> Output:
        rows = rows.bfloat16()
        if attention_mask is not None and attention_mask.is_floating_point():
            attention_mask = attention_mask.bfloat16()
        for layer in self.layers:
            rows = layer(rows, attention_mask)
        return Output(last_hidden_state=rows.float())


class Layer(nn.Module):
    """One layer in a few steps: of a short text, to go from step to step takes most of the time."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        asking = layer.attention.self
        self.heads = asking.num_attention_heads
        self.asked = Packed(asking.query, asking.key, asking.value)
        self.heard, self.heard_norm = _with_norm(layer.attention.output)
        self.wide = Packed(layer.intermediate.dense)
        self.narrow, self.narrow_norm = _with_norm(layer.output)

    def forward(self, rows: Tensor, mask: Tensor | None) -> Tensor:
        texts, length, _width = rows.shape
        asked = self.asked(rows).view(texts, length, 3, self.heads, -1)
        query, key, value = asked.permute(2, 0, 3, 1, 4).unbind()
        heard = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        rows = self.heard_norm(self.heard(heard.transpose(1, 2).flatten(2), added=rows))
        made: Tensor = self.narrow_norm(self.narrow(self.wide(rows, gelu=True), added=rows))
        return made


def _with_norm(output: Any) -> tuple["Packed", nn.LayerNorm]:
    return Packed(output.dense), output.LayerNorm


class Packed(nn.Module):
    """Linear layers side by side, whose weights lie as the units read them.

    torch.nn.Linear lays them anew for each text, which tells in the time of a short one.
    """

    def __init__(self, *layers: nn.Linear) -> None:
        super().__init__()
        weight = torch.cat([layer.weight.detach() for layer in layers])
        self._weight = torch.ops.mkldnn._reorder_linear_weight(weight)
        self._bias = torch.cat([layer.bias.detach() for layer in layers])

    def forward(self, rows: Tensor, *, gelu: bool = False, added: Tensor | None = None) -> Tensor:
        linear = torch.ops.mkldnn._linear_pointwise
        made: Tensor
        if added is not None:
            made = linear.binary(rows, added, self._weight, self._bias, "add")
        else:
            made = linear(rows, self._weight, self._bias, "gelu" if gelu else "none", [], "none")
        return made


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
