"""The real SmolLM2 from its GGUF file: the states of transformers' own loader, ids of prompts, and memory."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch
import transformers

from attar import Template, Transformer
from attar.tokens.templates import PROMPTS
from attar.types import Tokens

TEXTS = ["A cat sat on the mat.", "Stocks fell 12.5% on Monday!", 'hé "中文" 😀', " lead", "don't\n\n stop   here  "]
MEMORY = """
import sys
from pathlib import Path

import numpy, scipy.sparse, tokenizers
from attar import Embedder, Transformer, weights
import attar.engine.families


def resident() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith("VmRSS")).split()[1])


before = resident()
embedder = Embedder(Transformer(sys.argv[1], template="eol"), weights=weights.Answer())
embedder.encode([f"A man plays the guitar number {n}." for n in range(40)])
print((resident() - before) / Path(sys.argv[1]).stat().st_size)
"""


def test_states_and_ids(smollm2_path):
    pytest.importorskip("gguf")
    pytest.importorskip("accelerate")  # transformers asks for it
    where = {"gguf_file": smollm2_path.name}
    reference = transformers.AutoModel.from_pretrained(str(smollm2_path.parent), **where, dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(smollm2_path.parent), **where)
    encoder = Transformer(smollm2_path)
    sequences = [tokenizer(text)["input_ids"] for text in TEXTS]
    tokens = encoder.tokenize(TEXTS)
    assert tokens.ids.tolist() == [i for ids in sequences for i in ids]
    found = encoder.token_vectors(Tokens.of(sequences), range(31))
    for n, ids in enumerate(sequences):
        with torch.inference_mode():
            wanted = reference(torch.tensor([ids]), output_hidden_states=True).hidden_states
        for layer, right in enumerate(wanted):
            own = found[layer][tokens.offsets[n] : tokens.offsets[n + 1]]
            assert np.abs(own - right[0].numpy()).max() < 1e-5 * right.abs().max(), (n, layer)


@pytest.mark.parametrize("name", PROMPTS)
def test_prompts_have_the_ids_of_the_whole_string(smollm2_path, name):
    encoder, template = Transformer(smollm2_path, template=name), Template.named(name)
    backend = encoder.checkpoint.tokenizer()[0]
    tokens = encoder.tokenize(TEXTS)
    wanted = [backend.encode(form.replace("[X]", text)).ids for text in TEXTS for form in template.forms]
    assert tokens.ids.tolist() == [i for ids in wanted for i in ids]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_that_of_the_file(smollm2_path):
    done = subprocess.run([sys.executable, "-c", MEMORY, str(smollm2_path)], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1.3
