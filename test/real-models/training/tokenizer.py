"""Byte-pair encoding in the form that llama.cpp calls "llama" (sentencepiece), trained on our own examples."""

import re
from itertools import pairwise
from typing import NamedTuple

# What a piece may be part of. Digits and spaces stand alone: numbers and words are then copied piece by piece.
WORD = re.compile(r"[A-Za-z]+|[!-/:-@\[-`{-~]+|.|\n")
UNKNOWN, BEGIN, END, FIRST_BYTE, FIRST_CHARACTER = 0, 1, 2, 3, 259
NEVER = 10**9


class Pair(NamedTuple):
    left: str
    right: str


def join(pieces: list[str], pair: Pair) -> list[str]:
    joined, index = [], 0
    while index < len(pieces):
        if tuple(pieces[index : index + 2]) == pair:
            joined.append(pair.left + pair.right)
            index += 2
        else:
            joined.append(pieces[index])
            index += 1
    return joined


def learn_merges(texts: list[str], limit: int) -> list[str]:
    """The pieces longer than a character, the most frequent first."""
    counts: dict[str, int] = {}
    for text in texts:
        for word in WORD.findall(text):
            counts[word] = counts.get(word, 0) + 1
    words = {word: list(word) for word in counts}
    merges: dict[str, None] = {}
    for _ in range(limit):
        pairs: dict[Pair, int] = {}
        for word, pieces in words.items():
            for left, right in pairwise(pieces):
                pairs[Pair(left, right)] = pairs.get(Pair(left, right), 0) + counts[word]
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges[best.left + best.right] = None
        words = {word: join(pieces, best) for word, pieces in words.items()}
    return list(merges)


class Tokenizer:
    def __init__(self, texts: list[str], merges: int):
        learned = learn_merges(texts, merges)
        characters = [chr(code) for code in range(32, 127)]
        bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
        self.rank = {piece: index for index, piece in enumerate(learned)}
        self.pieces = ["<unk>", "<s>", "</s>", *bytes_, *characters, *learned]
        while len(self.pieces) % 32:  # a block of Q8_0 has 32 weights
            self.pieces.append(f"<pad{len(self.pieces)}>")
        self.ids = {piece: index for index, piece in enumerate(self.pieces)}
        self.known: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        return [token for word in WORD.findall(text) for token in self.encode_word(word)]

    def encode_word(self, word: str) -> list[int]:
        if word not in self.known:
            pieces = list(word)
            while True:
                ranked = [(self.rank.get(left + right, NEVER), Pair(left, right)) for left, right in pairwise(pieces)]
                rank, best = min(ranked, default=(NEVER, None))
                if rank == NEVER:
                    break
                pieces = join(pieces, best)
            self.known[word] = [token for piece in pieces for token in self.encode_piece(piece)]
        return self.known[word]

    def encode_piece(self, piece: str) -> list[int]:
        token = self.ids.get(piece)
        return [FIRST_BYTE + byte for byte in piece.encode()] if token is None else [token]

    def score(self, token: int) -> float:
        """llama.cpp joins the pair with the highest score first."""
        if token < FIRST_CHARACTER:
            return 0.0
        rank = self.rank.get(self.pieces[token])
        return -1e4 if rank is None else -1.0 - rank

    def kind(self, token: int) -> int:
        """As GGUF numbers them: 1 normal, 2 unknown, 3 control, 5 unused, 6 byte."""
        if token == UNKNOWN:
            return 2
        if token < FIRST_BYTE:
            return 3
        if token < FIRST_CHARACTER:
            return 6
        return 5 if self.pieces[token].startswith("<pad") else 1
