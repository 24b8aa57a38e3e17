"""A fitted embedder as a model of mteb 2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from attar.embedder import Embedder
from attar.errors import MissingExtra
from attar.exports.card import base_name, checkpoint_of, licence_of
from attar.shapers.cosine import paired_cosines
from attar.types import Floats

try:
    from mteb.models import ModelMeta
    from mteb.types import Licenses
except ImportError:
    raise MissingExtra("running mteb", "mteb") from None


class Model:
    """A model for `mteb.evaluate`. Nothing is fitted on a task's texts.

    Parameters
    ----------
    recipe : Embedder, str or Path
        A fitted Embedder, or the folder of a saved recipe.
    revision : str, optional
        What mteb calls the version of the model.
    device : str, optional
        Ignored; mteb passes it to every model.
    """

    def __init__(self, recipe: Embedder | str | Path, revision: str | None = None, device: str | None = None) -> None:
        self.embedder = recipe if isinstance(recipe, Embedder) else Embedder.load(recipe)
        self.n_dims = self.embedder.encode([]).shape[1]  # refuses what has not learned yet
        self.revision = revision
        self.device = device

    def encode(
        self,
        inputs: Any,
        *,
        task_metadata: Any,
        hf_split: str,
        hf_subset: str,
        prompt_type: Any = None,
        **kwargs: Any,
    ) -> Floats:
        """Vectors of the texts of a DataLoader.

        Parameters
        ----------
        inputs : DataLoader
            Batches, each with its texts under "text"; how they are cut does not matter.
        task_metadata, hf_split, hf_subset, prompt_type : object
            Which texts of which task these are; ignored.
        **kwargs : object
            batch_size and others; ignored.

        Returns
        -------
        ndarray of float32, of shape (N, D)
            One row per text.
        """
        vectors: Floats = self.embedder.encode([text for batch in inputs for text in batch["text"]])
        return vectors

    def similarity(self, embeddings1: npt.ArrayLike, embeddings2: npt.ArrayLike) -> Floats:
        """Cosine of every vector with every other.

        Parameters
        ----------
        embeddings1, embeddings2 : array of shape (N, D) and (M, D)
            Vectors.

        Returns
        -------
        ndarray of float32, of shape (N, M)
            The cosines.
        """
        found: Floats = self.embedder.similarity(embeddings1, embeddings2)
        return found

    def similarity_pairwise(self, embeddings1: npt.ArrayLike, embeddings2: npt.ArrayLike) -> Floats:
        """Cosine of each vector with its counterpart.

        Parameters
        ----------
        embeddings1, embeddings2 : array of shape (N, D)
            Vectors.

        Returns
        -------
        ndarray of float32, of shape (N,)
            The cosines.
        """
        a, b = (np.atleast_2d(np.asarray(x, dtype=np.float64)) for x in (embeddings1, embeddings2))
        return paired_cosines(a, b).astype(np.float32)

    @property
    def mteb_model_meta(self) -> ModelMeta:
        """Name and revision say recipe and fit; training data is the base model's, which only its own card tells."""
        recipe, encoder = self.embedder.recipe, self.embedder.encoder_
        base, licence = base_name(recipe.encoder), licence_of(encoder)
        checkpoint = checkpoint_of(encoder) if recipe.encoder["type"] != "mix" else None  # two models have no one count
        n_parameters = None if checkpoint is None else checkpoint.n_parameters
        limit = encoder.token_limit
        return ModelMeta(
            loader=None,
            name=f"attar/{(base or recipe.encoder['type']).rpartition('/')[2]}-{recipe.id}",
            revision=self.revision or recipe.revision,
            release_date=None,
            languages=None,
            n_parameters=n_parameters,
            memory_usage_mb=None if n_parameters is None else n_parameters * 4 / 2**20,
            max_tokens=None if limit is None else float(limit),
            embed_dim=self.n_dims,
            license=licence if licence in _known_licences() else None,
            open_weights=True,
            public_training_code=None,
            public_training_data=None,
            framework=["PyTorch"] if encoder.contextual else ["NumPy"],
            similarity_fn_name="cosine",
            use_instructions=False,
            training_datasets=None,
            adapted_from=base,
            experiment_kwargs={"recipe": json.dumps(recipe.to_json(), sort_keys=True)},
        )


def _known_licences() -> tuple[str, ...]:
    return tuple(str(name) for name in get_args(Licenses))
