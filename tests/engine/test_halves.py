"""Models of which only a part reads texts: that part, with the states of the whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

import tiny_models
from attar import Transformer
from attar.errors import ModelError
from attar.types import Tokens

TEXT = {
    "vocab_size": 60, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 44, "max_position_embeddings": 64,
}  # fmt: skip
VISION = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 44, "image_size": 28,
    "patch_size": 14,
}  # fmt: skip
LLAVA = transformers.LlavaConfig(
    text_config=transformers.LlamaConfig(**TEXT).to_dict(),
    vision_config=transformers.CLIPVisionConfig(**VISION).to_dict(),
)
PALIGEMMA = transformers.PaliGemmaConfig(
    text_config=transformers.GemmaConfig(**TEXT, head_dim=8).to_dict(),
    vision_config=transformers.SiglipVisionConfig(**VISION).to_dict(),
    projection_dim=32,
    hidden_size=32,
)
IDS = [5, 9, 30, 3, 41, 8]


def save(folder: Path, config) -> Path:
    model = tiny_models.spread(transformers.AutoModelForImageTextToText.from_config(config), width=0.2)
    return tiny_models.save(folder, model, tiny_models.without_frame())


def test_the_language_model_of_one_that_reads_images(tmp_path):
    folder = save(tmp_path / "model", LLAVA)
    encoder = Transformer(folder)
    found = encoder.token_vectors(Tokens.of([IDS]), range(3))
    whole = transformers.AutoModel.from_pretrained(str(folder), attn_implementation="eager").eval()
    with torch.inference_mode():
        wanted = whole(input_ids=torch.tensor([IDS]), output_hidden_states=True).hidden_states
    for layer, right in enumerate(wanted):
        np.testing.assert_allclose(found[layer], right[0].numpy(), rtol=1e-4, atol=1e-5)
    assert encoder.token_limit == 64


def test_one_whose_language_model_reads_otherwise_by_itself_is_refused(tmp_path):
    """It sees what follows, too."""
    with pytest.raises(ModelError, match="a PaliGemmaModel"):
        Transformer(save(tmp_path / "model", PALIGEMMA)).token_vectors(Tokens.of([IDS]), [1])


def test_weights_that_lack_a_part_of_the_language_model(tmp_path):
    import safetensors.torch

    path = save(tmp_path / "model", LLAVA) / "model.safetensors"
    arrays = safetensors.torch.load_file(path)
    gone = next(name for name in arrays if "layers.1.mlp.up_proj" in name and "vision" not in name)
    safetensors.torch.save_file({name: a for name, a in arrays.items() if name != gone}, path, {"format": "pt"})
    with pytest.raises(ModelError, match="lack 1 of the model's arrays"):
        Transformer(path.parent).token_vectors(Tokens.of([IDS]), [1])
