"""The network that llama.cpp calls "llama": RMSNorm, RoPE on neighbouring pairs, SwiGLU, the embedding used again as the head."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Shape:
    vocabulary: int
    width: int = 128
    layers: int = 3
    heads: int = 4
    hidden: int = 256
    context: int = 512
    epsilon: float = 1e-5

    @property
    def head_width(self) -> int:
        return self.width // self.heads


def linear(inputs: int, outputs: int) -> nn.Linear:
    return nn.Linear(inputs, outputs, bias=False)


def rotate(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), -1).flatten(-2)


class Norm(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        self.weight, self.epsilon = nn.Parameter(torch.ones(shape.width)), shape.epsilon

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon) * self.weight


class Attention(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.query, self.key, self.value, self.output = (linear(shape.width, shape.width) for _ in range(4))

    def forward(self, x: Tensor, cosine: Tensor, sine: Tensor, mask: Tensor) -> Tensor:
        query = rotate(self.split(self.query(x)), cosine, sine)
        key = rotate(self.split(self.key(x)), cosine, sine)
        scores = query @ key.transpose(-1, -2) / math.sqrt(self.shape.head_width) + mask
        mixed = scores.softmax(-1) @ self.split(self.value(x))
        return self.output(mixed.transpose(1, 2).reshape(x.shape))

    def split(self, x: Tensor) -> Tensor:
        rows, length, _ = x.shape
        return x.view(rows, length, self.shape.heads, self.shape.head_width).transpose(1, 2)


class Block(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        self.attention_norm, self.attention = Norm(shape), Attention(shape)
        self.feed_norm = Norm(shape)
        self.gate, self.up, self.down = (
            linear(shape.width, shape.hidden),
            linear(shape.width, shape.hidden),
            linear(shape.hidden, shape.width),
        )

    def forward(self, x: Tensor, *positions: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x), *positions)
        fed = self.feed_norm(x)
        return x + self.down(functional.silu(self.gate(fed)) * self.up(fed))


class Network(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = Norm(shape)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.05)

    def forward(self, tokens: Tensor) -> Tensor:
        positions = self.positions(tokens.shape[1])
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, *positions)
        return self.norm(x) @ self.embedding.weight.T

    def positions(self, length: int) -> tuple[Tensor, Tensor, Tensor]:
        """Cosines and sines of RoPE, and the mask that hides what comes later."""
        size = self.shape.head_width
        frequencies = 1 / (10_000 ** (torch.arange(0, size, 2) / size))
        angles = torch.outer(torch.arange(length).float(), frequencies)
        return angles.cos(), angles.sin(), torch.full((length, length), -1e9).triu(1)
