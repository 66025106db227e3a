#!/usr/bin/python3
"""Trains the tiny language model of the engine tests from scratch and writes it as GGUF.

    apt-get install python3-torch python3-numpy libopenblas0-pthread
    /usr/bin/python3 test/real-models/train-model.py                        about 12 minutes on one core
    /usr/bin/python3 test/real-models/train-model.py --steps 0 --out FILE   seconds: weights at random, which write gibberish

Nothing is downloaded: the data are made up in training/. The model learns to go on after a request with our plan:

    <s>U: {request}\\nA: {plan as JSON}</s>

The same number of steps gives the same model on the same machine. Train again when the format of plans or the tools' inputs change.
"""

import argparse
import os
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

# Before the library is loaded. Its threads wait for each other in a loop, which is slow when the machine has other work.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.examples import Examples
from training.gguf import write_gguf
from training.network import Network, Shape
from training.tokenizer import BEGIN, END, Tokenizer

SEED = 7
ROWS = 24
MERGES = 380
PEAK_RATE = 3e-3
EASY_PART = 0.3  # of the steps, in which requests have one clause: copying is learned sooner from these
IGNORED = -100


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "micro-planner.gguf")
    return parser.parse_args()


def prompt_of(request: str) -> str:
    return f"U: {request}\nA: "


def batches(examples: Examples, tokenizer: Tokenizer) -> Iterator[tuple[Tensor, Tensor]]:
    """Tokens and what follows each. Rows of a batch are about as long as each other, as padding costs as much as tokens."""
    while True:
        rows = []
        for _ in range(ROWS * 16):
            request, plan = examples.next()
            prompt = [BEGIN, *tokenizer.encode(prompt_of(request))]
            rows.append((prompt + tokenizer.encode(plan) + [END], len(prompt)))
        rows.sort(key=lambda row: len(row[0]))
        groups = [rows[start : start + ROWS] for start in range(0, len(rows), ROWS)]
        examples.random.shuffle(groups)
        yield from map(to_tensors, groups)


def to_tensors(rows: list[tuple[list[int], int]]) -> tuple[Tensor, Tensor]:
    longest = max(len(tokens) for tokens, _ in rows)
    inputs = torch.zeros(len(rows), longest, dtype=torch.long)
    targets = torch.full((len(rows), longest), IGNORED)
    for index, (tokens, prompt_length) in enumerate(rows):
        inputs[index, : len(tokens)] = torch.tensor(tokens)
        # Only the plan counts: to guess requests would waste what little the model can learn.
        targets[index, prompt_length - 1 : len(tokens) - 1] = torch.tensor(tokens[prompt_length:])
    return inputs, targets


def rate_at(step: int, steps: int) -> float:
    """Warms up, stays for a third of the time, then falls: letters are copied right only once it is low."""
    left = 1 - step / steps
    return PEAK_RATE * min(1, (step + 1) / 60) * min(1, max(0.02, 1.5 * left))


def train(network: Network, examples: Examples, tokenizer: Tokenizer, steps: int) -> None:
    optimizer = torch.optim.AdamW(network.parameters(), lr=PEAK_RATE, betas=(0.9, 0.98), weight_decay=0.01)
    source, started = batches(examples, tokenizer), time.monotonic()
    recent: deque[float] = deque(maxlen=50)
    for step in range(steps):
        examples.most_clauses = 1 if step < steps * EASY_PART else 3
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, steps)
        inputs, targets = next(source)
        scores = network(inputs)
        loss = functional.cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        right = (scores.argmax(-1) == targets) | (targets == IGNORED)
        recent.append(right.all(1).float().mean().item())
        if step % 50 == 49:
            seconds, whole = time.monotonic() - started, sum(recent) / len(recent)
            print(f"{seconds:4.0f} s  step {step + 1}  whole plans right, of the last 50 batches: {whole:.3f}", flush=True)


def main() -> None:
    arguments = parse_arguments()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    examples = Examples(SEED)
    sample = [prompt_of(request) + plan for request, plan in (examples.next() for _ in range(4_000))]
    tokenizer = Tokenizer(sample, MERGES)
    network = Network(Shape(vocabulary=len(tokenizer.pieces)))
    print(f"{len(tokenizer.pieces)} pieces, {sum(part.numel() for part in network.parameters())} parameters", flush=True)
    train(network, examples, tokenizer, arguments.steps)
    print(f"{arguments.out}: {write_gguf(arguments.out, network, tokenizer)} bytes")


if __name__ == "__main__":
    main()
