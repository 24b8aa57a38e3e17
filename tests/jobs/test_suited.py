"""What a model gets where no recipe is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from attar import Table, Transformer
from attar.jobs.suited import suited


@pytest.mark.parametrize(
    ("limit", "template", "recipe"), [(254, None, "prompt"), (253, None, "similarity"), (254, "eol", "similarity")]
)
def test_a_causal_model_gets_the_prompt_where_it_has_room(
    limit: int, template: str | None, recipe: str, tiny_gpt2_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Transformer, "token_limit", limit)  # the prompt takes 127 tokens
    model = Transformer(tiny_gpt2_dir)
    assert suited(model, "similarity", template).recipe == recipe


def test_a_raw_model_gets_the_recipe_of_the_job_and_a_table_its_mean(tiny_bert: Transformer) -> None:
    assert suited(tiny_bert, "clustering").recipe == "clustering"
    assert suited(Table.average(tiny_bert, ["the cat sat"]), "clustering").recipe == "plain"
