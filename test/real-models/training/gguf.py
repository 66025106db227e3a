"""Writes a network and its tokenizer as GGUF version 3, the matrices as Q8_0."""

import struct
from pathlib import Path

import numpy as np

from .network import Network
from .tokenizer import BEGIN, END, UNKNOWN, Tokenizer

ALIGNMENT = 32
F32, Q8_0 = 0, 8
MOSTLY_Q8_0 = 7  # the type of a whole file
NUMBERS = {"u32": (4, "I"), "i32": (5, "i"), "f32": (6, "f"), "bool": (7, "?")}
STRING, ARRAY = 8, 9

# Only for engines that render the prompt themselves; our server does what it says.
CHAT_TEMPLATE = "{% set m = messages | selectattr('role', 'equalto', 'user') | first %}U: {{ m.content }}\nA: "


def pad(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % ALIGNMENT)


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key: str, kind: str, value) -> bytes:
    """One entry of the metadata. A list is an array of the kind."""
    values = value if isinstance(value, list) else [value]
    if kind == "string":
        code, data = STRING, b"".join(map(text, values))
    else:
        code, letter = NUMBERS[kind]
        data = struct.pack(f"<{len(values)}{letter}", *values)
    head = struct.pack("<IIQ", ARRAY, code, len(values)) if isinstance(value, list) else struct.pack("<I", code)
    return text(key) + head + data


def quantize(matrix: np.ndarray) -> bytes:
    """Q8_0: for each 32 weights a scale as a half, then 32 signed bytes."""
    blocks = matrix.astype(np.float32).reshape(-1, 32)
    scale = np.abs(blocks).max(1) / 127
    weights = np.rint(blocks / np.where(scale > 0, scale, 1)[:, None]).astype(np.int8)
    out = np.empty((len(blocks), 34), np.uint8)
    out[:, :2] = scale.astype(np.float16).view(np.uint8).reshape(-1, 2)
    out[:, 2:] = weights.view(np.uint8)
    return out.tobytes()


def metadata(network: Network, tokenizer: Tokenizer) -> list[bytes]:
    shape, tokens = network.shape, range(len(tokenizer.pieces))
    return [
        entry("general.architecture", "string", "llama"),
        entry("general.name", "string", "micro-planner"),
        entry("general.file_type", "u32", MOSTLY_Q8_0),
        entry("general.quantization_version", "u32", 2),
        entry("llama.context_length", "u32", shape.context),
        entry("llama.embedding_length", "u32", shape.width),
        entry("llama.block_count", "u32", shape.layers),
        entry("llama.feed_forward_length", "u32", shape.hidden),
        entry("llama.attention.head_count", "u32", shape.heads),
        entry("llama.attention.head_count_kv", "u32", shape.heads),
        entry("llama.rope.dimension_count", "u32", shape.head_width),
        entry("llama.attention.layer_norm_rms_epsilon", "f32", shape.epsilon),
        entry("llama.vocab_size", "u32", shape.vocabulary),
        entry("tokenizer.ggml.model", "string", "llama"),
        entry("tokenizer.ggml.tokens", "string", [piece.replace(" ", "\u2581") for piece in tokenizer.pieces]),
        entry("tokenizer.ggml.scores", "f32", [tokenizer.score(token) for token in tokens]),
        entry("tokenizer.ggml.token_type", "i32", [tokenizer.kind(token) for token in tokens]),
        entry("tokenizer.ggml.bos_token_id", "u32", BEGIN),
        entry("tokenizer.ggml.eos_token_id", "u32", END),
        entry("tokenizer.ggml.unknown_token_id", "u32", UNKNOWN),
        entry("tokenizer.ggml.add_bos_token", "bool", True),
        entry("tokenizer.ggml.add_eos_token", "bool", False),
        entry("tokenizer.ggml.add_space_prefix", "bool", False),
        entry("tokenizer.chat_template", "string", CHAT_TEMPLATE),
    ]


def tensors(network: Network) -> dict[str, np.ndarray]:
    named = {"token_embd": network.embedding, "output_norm": network.norm}
    for index, block in enumerate(network.blocks):
        parts = {
            "attn_norm": block.attention_norm, "attn_q": block.attention.query, "attn_k": block.attention.key,
            "attn_v": block.attention.value, "attn_output": block.attention.output, "ffn_norm": block.feed_norm,
            "ffn_gate": block.gate, "ffn_up": block.up, "ffn_down": block.down,
        }  # fmt: skip
        named |= {f"blk.{index}.{name}": part for name, part in parts.items()}
    return {f"{name}.weight": part.weight.detach().numpy() for name, part in named.items()}


def write_gguf(path: Path, network: Network, tokenizer: Tokenizer) -> int:
    """Returns the size in bytes."""
    entries, index, data = metadata(network, tokenizer), b"", b""
    named = tensors(network)
    for name, array in named.items():
        is_matrix = array.ndim == 2
        sizes = struct.pack(f"<I{array.ndim}Q", array.ndim, *array.shape[::-1])
        index += text(name) + sizes + struct.pack("<IQ", Q8_0 if is_matrix else F32, len(data))
        data += pad(quantize(array) if is_matrix else array.astype("<f4").tobytes())
    head = b"GGUF" + struct.pack("<IQQ", 3, len(named), len(entries)) + b"".join(entries)
    path.write_bytes(pad(head + index) + data)
    return path.stat().st_size
