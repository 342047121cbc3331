"""A small decoder that predicts the next token.

Source: A. Radford et al., Language Models are Unsupervised Multitask Learners, 2019: pre-norm blocks, learned
positions, and a head that shares its weights with the token embedding.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from ringscope.train.models.layers import Layer
from ringscope.train.models.pairs import Pair

_DEVIATION = 0.02  # standard deviation of the first weights, as in the paper's code


class Gpt(nn.Module):
    """``layers`` blocks of ``width`` numbers per token with ``heads`` heads, over at most ``context`` tokens."""

    def __init__(
        self, shape: tuple[int, ...], classes: int, *, layers: int, heads: int, width: int, context: int
    ) -> None:
        super().__init__()
        self.tokens = nn.Embedding(classes, width)
        self.positions = nn.Embedding(context, width)
        self.blocks = nn.Sequential(*(_Block(width, heads, layers) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        for embedding in (self.tokens, self.positions):
            nn.init.normal_(embedding.weight, std=_DEVIATION)

    def forward(self, tokens: Tensor) -> Tensor:
        """Map tokens (n, length) to logits (n, length, classes) of the token that follows each."""
        return self._logits(self.blocks(self._embedded(tokens)))

    def layers(self) -> list[Layer]:
        """Return the embedding, each block, and the head, which shares the tokens' weights with the embedding."""
        tokens, positions = self.tokens.weight, self.positions.weight
        return [
            Layer("tokens", self._embedded, (tokens, positions)),
            *(Layer.of(f"blocks.{number}", block) for number, block in enumerate(self.blocks)),
            Layer("norm", self._logits, (*self.norm.parameters(), tokens)),
        ]

    def pairs(self) -> list[Pair]:
        """Return the two pairs of each block; the outputs of the first layer are queries, keys and values."""
        return [
            pair
            for number in range(len(self.blocks))
            for pair in (
                Pair(f"blocks.{number}.query_key_value", f"blocks.{number}.attention_out", groups=3),
                Pair(f"blocks.{number}.mlp_in", f"blocks.{number}.mlp_out"),
            )
        ]

    def _embedded(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.tokens(tokens) + self.positions(places)

    def _logits(self, stream: Tensor) -> Tensor:
        return functional.linear(self.norm(stream), self.tokens.weight)


class _Block(nn.Module):
    def __init__(self, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.head_width = width // heads
        self.attention_norm, self.mlp_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query_key_value = _linear(width, 3 * width)
        # Every block adds to the same stream twice: the scale keeps the deviation of the sum constant.
        self.attention_out = _linear(width, width, shrink=2 * layers)
        self.mlp_in, self.mlp_out = _linear(width, 4 * width), _linear(4 * width, width, shrink=2 * layers)

    def forward(self, stream: Tensor) -> Tensor:
        stream = stream + self._attention(self.attention_norm(stream))
        return stream + self.mlp_out(functional.gelu(self.mlp_in(self.mlp_norm(stream))))

    def _attention(self, stream: Tensor) -> Tensor:
        samples, length, _ = stream.shape
        # A rank of strategy tensor has only some of the heads.
        parts = self.query_key_value(stream).view(samples, length, 3, -1, self.head_width)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        found = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.attention_out(found.transpose(1, 2).reshape(samples, length, -1))


def _linear(inputs: int, outputs: int, shrink: int = 1) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.normal_(layer.weight, std=_DEVIATION / shrink**0.5)
    nn.init.zeros_(layer.bias)
    return layer
