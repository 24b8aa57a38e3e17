"""Embedder: texts to vectors along the one path, as a scikit-learn transformer."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin, clone

from attar import persist
from attar.encode_options import EncodeOptions
from attar.encoders.opening import open_encoder
from attar.encoders.transformer import Transformer
from attar.engine.tensors import is_tensor, to_array, to_tensor
from attar.enough import too_few
from attar.errors import InputError, NotFittedError
from attar.explanation import Explanation, explain_pair
from attar.io.progress import Advance, nothing
from attar.io.texts import check_texts, chunks, iter_texts
from attar.layers import LayerChoice
from attar.pipeline import (
    CHUNK,
    Corpora,
    Distinct,
    Embedded,
    Pipeline,
    TextCounts,
    check_corpora,
    check_partial,
    distinct_texts,
    fit_pipeline,
    fit_weights,
    new_shapers,
    new_weights,
)
from attar.recipe import NAMED, FittedOn, Recipe
from attar.shapers import Moments
from attar.shapers.chain import Evidence, fit_chain, learns, shape
from attar.shapers.cosine import cosines, paired_cosines
from attar.types import Encoder, Floats, Ints, Tokens
from attar.weights import Weighting

log = logging.getLogger("attar")


class Embedder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Sentence vectors from an encoder, by layers, token weights and shapers that are fitted on texts without labels.

    A scikit-learn transformer. Fitted parts are `weights_` and `shapers_`; `counts_` says how many of the last texts
    were cut, empty or unknown.

    Parameters
    ----------
    encoder : Encoder, str or Path, optional
        A Transformer, Table, ..., or the folder or name of a model; None for the embedded default model. The folder
        of a saved recipe, the name of one (see `attar recipes`) or its text form stand for all that they say; what is
        given beside a named one counts.
    layers : int, str, sequence or mapping
        The layers to average: numbers, "first", "last", several of them, a mapping to weights, or text such as
        "first,last".
    weights : Weighting or str, optional
        How tokens count, such as `weights.Idf()` or "idf"; None for the mean, and for the first or the last token
        alone with a model that sentence-transformers has tuned for that.
    shapers : sequence or str
        What vectors go through, one after the other, such as `[shapers.ZScore()]` or "zscore,unit"; transformers of
        scikit-learn too.

    Examples
    --------
    >>> Embedder(Transformer("bert-base-uncased"), layers=(1, 12)).encode(["A cat sat."])  # doctest: +SKIP
    """

    weights_: Weighting
    shapers_: tuple[Any, ...]
    fitted_on_: FittedOn
    moments_: Moments
    counts_: TextCounts
    __single_column_transformer__ = True  # skrub then gives it one column at a time

    def __init__(
        self,
        encoder: Encoder | str | Path | None = None,
        layers: LayerChoice = "last",
        weights: Weighting | str | None = None,
        shapers: Sequence[Any] | str = (),
    ) -> None:
        self.encoder = encoder
        self.layers = layers
        self.weights = weights
        self.shapers = shapers

    # Learning

    def fit(self, X: Any, y: object = None, *, background: Any = None, progress: bool = False) -> Self:
        """Learn token counts and moments from texts. Nothing is trained.

        Parameters
        ----------
        X : iterable of str
            The texts to be embedded, or others like them.
        y : object, optional
            Ignored; there for scikit-learn.
        background : iterable of str, optional
            The corpus that parts marked `on="background"` learn from.
        progress : bool
            Show a progress bar on a terminal.

        Returns
        -------
        Embedder
            Itself, fitted.

        Raises
        ------
        InputError
            If there are no texts, or a part needs a background corpus that is not given.
        """
        self._fit(X, background, (), progress)
        return self

    def fit_transform(self, X: Any, y: object = None, *, background: Any = None, progress: bool = False) -> Floats:
        """`fit` and the vectors of the same texts, from one pass through the encoder.

        Parameters
        ----------
        X : iterable of str
            N texts.
        y : object, optional
            Ignored; there for scikit-learn.
        background : iterable of str, optional
            The corpus that parts marked `on="background"` learn from.
        progress : bool
            Show a progress bar on a terminal.

        Returns
        -------
        ndarray of float32, of shape (N, D)
            One row per text, in order.

        Raises
        ------
        InputError
            If there are no texts, or a part needs a background corpus that is not given.
        """
        embedded = self._fit(X, background, ("target",), progress)["target"]
        self.counts_ = embedded.counts
        self.counts_.report()
        return np.asarray(embedded.vectors, dtype=np.float32)[embedded.rows]

    def partial_fit(self, X: Any, y: object = None) -> Self:
        """Learn from more texts, where sums suffice: counts of tokens, or the moments that affine shapers need.

        Parameters
        ----------
        X : iterable of str
            More texts.
        y : object, optional
            Ignored; there for scikit-learn.

        Returns
        -------
        Embedder
            Itself, fitted on these texts and all before.

        Raises
        ------
        InputError
            If sums do not suffice for one of its parts, or it was fitted by `fit` or loaded.
        """
        texts, _ = check_texts(iter_texts(X))
        weights = self.weights_ if hasattr(self, "weights_") else new_weights(self._weights)
        shapers = new_shapers(self._shapers)
        check_partial(weights, shapers)
        check_corpora((weights, *shapers), {"target": texts})
        fit_weights(weights, self.encoder_, {"target": texts})
        if any(learns(shaper) for shaper in shapers):
            if hasattr(self, "fitted_on_") and not hasattr(self, "moments_"):
                raise InputError(
                    "this Embedder was fitted by fit or loaded, and has no sums to which more texts could be added; "
                    "call partial_fit on a new Embedder"
                )
            embedded = Pipeline(self.encoder_, weights, self._layers).embed(texts)
            moments = Moments.of(embedded.vectors[embedded.rows])
            self.moments_ = self.moments_.merge(moments) if hasattr(self, "moments_") else moments
            fit_chain(shapers, {"target": Evidence(moments=self.moments_)})
        self.weights_, self.shapers_ = weights, shapers
        self.fitted_on_ = (self.fitted_on_ if hasattr(self, "fitted_on_") else FittedOn()).with_target(texts)
        return self

    # Embedding

    def encode(
        self,
        texts: Any = None,
        *,
        sentences: Any = None,
        inputs: Any = None,
        progress: bool = False,
        batch_size: int | None = 32,
        show_progress_bar: bool | None = None,
        normalize_embeddings: bool = False,
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        truncate_dim: int | None = None,
        prompt: str | None = None,
        prompt_name: str | None = None,
        device: object = None,
        output_value: str = "sentence_embedding",
        precision: str | None = "float32",
        pool: object = None,
        chunk_size: int | None = None,
    ) -> Any:
        """Vectors of texts. All keywords but `progress` are those of `SentenceTransformer.encode`.

        Parameters
        ----------
        texts : str or iterable of str
            N texts in a list, array, column or generator, or a single one.
        sentences, inputs : str or iterable of str
            Other names of `texts`, for calls written for sentence-transformers.
        progress : bool
            Show a progress bar on a terminal.
        batch_size : int, optional
            Without effect: batches are made by the number of tokens.
        show_progress_bar : bool, optional
            The same as `progress`.
        normalize_embeddings : bool
            Scale vectors to length 1.
        convert_to_numpy : bool
            Return an array; False without `convert_to_tensor`: a list of tensors.
        convert_to_tensor : bool
            Return a torch tensor.
        truncate_dim : int, optional
            Keep only so many dims.
        device : str or torch.device, optional
            Where torch computes, such as "cuda" or "mps"; None for where the model is.
        prompt : str, optional
            Words put before each text.
        prompt_name, output_value, precision, pool, chunk_size : object
            Refused by name with a reason, unless they are as if not given.

        Returns
        -------
        ndarray of float32, of shape (N, D)
            One row per text, in order, of length 1 only where the recipe ends in `unit` or `normalize_embeddings` is
            given; of a single string a vector of shape (D,); with `convert_to_tensor` a torch
            tensor.

        Raises
        ------
        NotFittedError
            If something has to learn from texts first.
        InputError
            If a value is not a text, or a keyword is not supported.
        """
        given = [one for one in (texts, sentences, inputs) if one is not None]
        if len(given) > 1:
            raise InputError(f"encode: {len(given)} lots of texts were given; give one")
        texts = given[0] if given else None
        options = EncodeOptions(
            batch_size,
            show_progress_bar,
            normalize_embeddings,
            convert_to_numpy,
            convert_to_tensor,
            truncate_dim,
            prompt,
            prompt_name,
            None if device is None else str(device),
            output_value,
            precision,
            pool,
            chunk_size,
        )
        several = [texts] if isinstance(texts, str) else texts
        vectors = options.finished(self._encoded(several, options, progress or bool(show_progress_bar)))
        return vectors[0] if isinstance(texts, str) else vectors

    def _encoded(self, texts: Any, options: EncodeOptions, progress: bool) -> Floats:
        checked, replaced = check_texts(iter_texts(texts))
        checked = options.prompted(checked)
        self._ensure_ready()
        counts = self.counts_ = TextCounts(texts=len(checked), replaced=replaced)  # other threads may put theirs there
        distinct = Distinct(checked)
        device = None if options.device is None else str(options.device)
        shaped = self._pipeline_on(device).vectors(distinct, counts, progress)
        counts.report()
        return shaped if (rows := distinct.rows) is None else shaped[rows]

    def transform(self, X: Any) -> Floats:
        """The same as `encode` of several texts.

        Parameters
        ----------
        X : iterable of str
            N texts.

        Returns
        -------
        ndarray of float32, of shape (N, D)
            One row per text, in order.

        Raises
        ------
        InputError
            If a single string is given.
        NotFittedError
            If something has to learn from texts first.
        """
        if isinstance(X, str):
            raise InputError(f"expected several texts; given one string: {X[:60]!r}")
        vectors: Floats = self.encode(X)
        return vectors

    def encode_chunks(self, texts: Any, size: int = CHUNK, advance: Advance = nothing) -> Iterator[Floats]:
        """Vectors of a stream of texts, a chunk at a time, in constant memory.

        Parameters
        ----------
        texts : iterable of str
            Any number of texts.
        size : int
            The number of texts in a chunk.
        advance : callable
            Called with the number of texts that were finished since the last call.

        Yields
        ------
        ndarray of float32, of shape (size, D)
            The vectors of the next texts; fewer in the last chunk.

        Raises
        ------
        NotFittedError
            If something has to learn from texts first.
        """
        counts = self.counts_ = TextCounts()
        rows_of: deque[Ints] = deque()

        def distinct() -> Iterator[list[str]]:
            for part, replaced in chunks(texts, size):
                counts.texts += len(part)
                counts.replaced += replaced
                once, rows = distinct_texts(part)
                rows_of.append(rows)
                advance(len(rows) - len(once))  # these cost nothing
                yield once

        parts = distinct()
        first = next(parts, None)
        if first is not None:
            self._ensure_ready()  # after the first texts are checked: loading a model takes longer
            for vectors in self._pipeline.stream(chain([first], parts), counts, advance):
                yield np.asarray(vectors, dtype=np.float32)[rows_of.popleft()]
        counts.report()

    def encode_query(self, texts: Any = None, **options: Any) -> Any:
        """The same as `encode`: queries and documents are embedded in the same way.

        Parameters
        ----------
        texts : str or iterable of str
            N texts, or a single one.
        **options : object
            The keywords of `encode`.

        Returns
        -------
        ndarray of float32, of shape (N, D) or (D,)
            As of `encode`.
        """
        return self.encode(texts, **options)

    def encode_document(self, texts: Any = None, **options: Any) -> Any:
        """The same as `encode`: queries and documents are embedded in the same way.

        Parameters
        ----------
        texts : str or iterable of str
            N texts, or a single one.
        **options : object
            The keywords of `encode`.

        Returns
        -------
        ndarray of float32, of shape (N, D) or (D,)
            As of `encode`.
        """
        return self.encode(texts, **options)

    @property
    def similarity_fn_name(self) -> str:
        """What `similarity` computes, by sentence-transformers' name for it."""
        return "cosine"

    def similarity(self, a: Any, b: Any) -> Any:
        """Cosine of every row of a with every row of b.

        Parameters
        ----------
        a, b : array or tensor of shape (N, D) and (M, D)
            Vectors; a single vector counts as one row.

        Returns
        -------
        ndarray of float32, of shape (N, M)
            The cosines; 0 with a zero vector. A torch tensor where one was given.

        Raises
        ------
        InputError
            If the numbers of dims differ.
        """
        left, right = to_array(a), to_array(b)
        if left.shape[1] != right.shape[1]:
            raise InputError(f"vectors of {left.shape[1]} and {right.shape[1]} dims can't be compared")
        return _as_given(cosines(left, right), a, b)

    def similarity_pairwise(self, a: Any, b: Any) -> Any:
        """Cosine of each row of a with the same row of b. Shape: (N, D), (N, D) -> (N,)

        Parameters
        ----------
        a, b : array or tensor of shape (N, D)
            Vectors; a single vector counts as one row.

        Returns
        -------
        ndarray of float32, of shape (N,)
            The cosines; 0 with a zero vector. A torch tensor where one was given.

        Raises
        ------
        InputError
            If the shapes differ.
        """
        left, right = to_array(a), to_array(b)
        if left.shape != right.shape:
            raise InputError(f"vectors of shapes {left.shape} and {right.shape} are no pairs")
        return _as_given(paired_cosines(left, right).astype(np.float32), a, b)

    def get_sentence_embedding_dimension(self) -> int:
        """Dims of the vectors."""
        self._ensure_ready()
        return int(shape(self.shapers_, np.zeros((1, self._pipeline.width), dtype=np.float32)).shape[1])

    get_embedding_dimension = get_sentence_embedding_dimension

    def get_feature_names_out(self, input_features: object = None) -> npt.NDArray[np.object_]:
        """Names of the columns: attar0, attar1 ...; `set_output(transform="pandas")` needs them. Shape: (D,)

        Parameters
        ----------
        input_features : object, optional
            Ignored; there for scikit-learn.

        Returns
        -------
        ndarray of object, of shape (D,)
            One name per column.
        """
        return np.array([f"attar{i}" for i in range(self.get_sentence_embedding_dimension())], dtype=object)

    @property
    def max_seq_length(self) -> int | None:
        """Tokens that a text is cut at; None where there is no limit."""
        return self.encoder_.token_limit

    def get_max_seq_length(self) -> int | None:
        """The same as `max_seq_length`."""
        return self.max_seq_length

    @property
    def device(self) -> str:
        """Where vectors are computed: that of its Transformer."""
        return self.encoder_.device

    def tokenize(self, texts: Sequence[str]) -> Tokens:
        """Texts as token ids with their roles.

        Parameters
        ----------
        texts : sequence of str
            The texts.

        Returns
        -------
        Tokens
            Token ids, each with its role.
        """
        return self.encoder_.tokenize(check_texts(iter_texts(texts))[0])

    def explain(self, a: str, b: str) -> Explanation:
        """Split the cosine of two texts into contributions of pairs of their words, which add up to it.

        Parameters
        ----------
        a, b : two texts

        Returns
        -------
        Explanation
            Its `contributions` have the shape (words of a, words of b). They are exact for affine shapers and unit
            length; for others they are those of a small change, and `local` names these shapers.

        Raises
        ------
        InputError : a text without tokens, or with a zero vector
        """
        (a, b), _ = check_texts((a, b))
        self._ensure_ready()
        return explain_pair(self.encoder_, self.weights_, self._layers, self.shapers_, a, b)

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name; what was prepared without `fit` is prepared again.

        Parameters
        ----------
        **params : object
            Parameters of the constructor, or of its parts as in scikit-learn.

        Returns
        -------
        Embedder
            Itself.
        """
        super().set_params(**params)
        if not hasattr(self, "fitted_on_"):
            self._forget()
        return self

    # Keeping

    @property
    def recipe(self) -> Recipe:
        """What this embedder does, as data."""
        self._take_saved()
        weights = self.weights_ if hasattr(self, "weights_") else new_weights(self._weights)
        return Recipe.of(
            self.encoder_, self._layers, weights, new_shapers(self._shapers), getattr(self, "fitted_on_", None)
        )

    def save(self, folder: str | Path, *, overwrite: bool = False) -> None:
        """Write recipe.json, state.safetensors and a README; the folder appears whole or not at all.

        Parameters
        ----------
        folder : str or Path
            The folder to write.
        overwrite : bool
            Replace an earlier recipe.

        Raises
        ------
        NotFittedError
            If something has to learn from texts first.
        OutputError
            If the folder exists, or can't be written.
        RecipeError
            If a shaper can't be saved without pickle.
        """
        self._ensure_ready()
        persist.save(Path(folder), self.recipe, self.encoder_, self.weights_, self.shapers_, overwrite=overwrite)

    @classmethod
    def load(cls, folder: str | Path, *, encoder: Encoder | None = None) -> Self:
        """Read what `save` wrote. Everything is checked and no code is run.

        Parameters
        ----------
        folder : str or Path
            The folder of a saved recipe.
        encoder : Encoder, optional
            Replaces the encoder of the recipe, where the model has moved.

        Returns
        -------
        Embedder
            Fitted as it was when saved.

        Raises
        ------
        RecipeError
            If the folder holds no recipe, or one that is damaged or altered.
        ModelError
            If the model can't be read, or is not the one that the recipe was fitted with.
        """
        loaded = persist.load(Path(folder), encoder)
        embedder = cls(
            loaded.encoder,
            layers=loaded.recipe.layer_choice,
            weights=clone(loaded.weights),
            shapers=[clone(shaper) for shaper in loaded.shapers],
        )
        embedder.weights_, embedder.shapers_ = loaded.weights, tuple(loaded.shapers)
        if loaded.recipe.fitted_on is not None:
            embedder.fitted_on_ = loaded.recipe.fitted_on
        return embedder

    @classmethod
    def from_recipe(cls, recipe: Recipe | str, encoder: Encoder | None = None) -> Self:
        """A new, unfitted embedder after a recipe.

        Parameters
        ----------
        recipe : Recipe or str
            A recipe, its text form, or the name of one.
        encoder : Encoder, optional
            Replaces the encoder of the recipe.

        Returns
        -------
        Embedder
            Not fitted.

        Raises
        ------
        InputError
            If the text form or name can't be read.
        ModelError
            If the model can't be found or read.
        """
        if isinstance(recipe, str) and recipe in NAMED:
            made = Recipe.named_for(recipe, Transformer() if encoder is None else encoder)
        else:
            made = Recipe.parse(recipe) if isinstance(recipe, str) else recipe
        return cls(
            encoder if encoder is not None else made.make_encoder(),
            layers=made.layer_choice,
            weights=made.make_weights(),
            shapers=made.make_shapers(),
        )

    @property
    def needs_fit(self) -> bool:
        """Whether it must see texts before it can embed."""
        return new_weights(self._weights).needs_texts or any(learns(shaper) for shaper in new_shapers(self._shapers))

    # The path

    @property
    def encoder_(self) -> Encoder:
        """The encoder in use: the one given, or the embedded default."""
        if self._named is not None:
            return self._named.encoder_
        if isinstance(self.encoder, (str, Path)):  # a model's folder or name, as on the command line
            if getattr(self, "_opened_as", None) != self.encoder:
                self._opened, self._opened_as = open_encoder(str(self.encoder)), self.encoder
            return self._opened
        if self.encoder is not None:
            if Encoder not in type(self.encoder).__mro__:  # isinstance would read every property, and load the model
                raise InputError(f"encoder={self.encoder!r} is not an encoder; give one, such as Transformer('folder')")
            return self.encoder
        if not hasattr(self, "_default"):
            self._default = Transformer()
        return self._default

    @property
    def _named(self) -> Embedder | None:
        """What `encoder` stands for where it is the folder, name or text of a recipe."""
        if not isinstance(self.encoder, (str, Path)) or not persist.is_recipe(str(self.encoder)):
            return None
        if getattr(self, "_named_as", None) != self.encoder:
            self._named_embedder, self._named_as = open_embedder(str(self.encoder)), self.encoder
        return self._named_embedder

    @property
    def _layers(self) -> LayerChoice:
        return self.layers if self._named is None or self.layers != "last" else self._named.layers

    @property
    def _weights(self) -> Weighting | str | None:
        given = self.weights if self._named is None or self.weights is not None else self._named.weights
        if given is None and self.encoder_.tuned_weights != "mean":
            return self.encoder_.tuned_weights
        return given

    @property
    def _shapers(self) -> Sequence[Any] | str:
        return self.shapers if self._named is None or len(self.shapers) else self._named.shapers

    def _take_saved(self) -> None:
        """What a saved recipe has learned, where `encoder` names one."""
        named = self._named
        if named is None or hasattr(self, "weights_") or not hasattr(named, "weights_"):
            return
        if self.layers != "last" or self.weights is not None or len(self.shapers):
            raise InputError(f"the saved recipe {str(self.encoder)!r} is fitted and can't be changed; fit a new one")
        if hasattr(named, "fitted_on_"):
            self.fitted_on_ = named.fitted_on_
        self.shapers_, self.weights_ = named.shapers_, named.weights_  # weights last: they say that it is ready

    @property
    def _pipeline(self) -> Pipeline:
        """Made anew where one of its parts is another one; a list or mapping of layers may have changed."""
        encoder, layers, held = self.encoder_, self._layers, self.__dict__.get("_held")
        if (
            isinstance(held, Pipeline)
            and held.encoder is encoder
            and held.weights is self.weights_
            and held.shapers is self.shapers_
            and held.layers is layers
            and isinstance(layers, (int, str, tuple))
        ):
            return held
        self._held = Pipeline(encoder, self.weights_, layers, self.shapers_)
        return self._held

    def _pipeline_on(self, device: str | None) -> Pipeline:
        """The same on another device, where the model is loaded once more."""
        if device is None or device == self.device:
            return self._pipeline
        if getattr(self, "_moved_to", None) != (device, self.encoder_):
            self._moved, self._moved_to = self.encoder_.configured(device=device), (device, self.encoder_)
        return Pipeline(self._moved, self.weights_, self._layers, self.shapers_)

    def _ensure_ready(self) -> None:
        """Prepare what learns nothing from texts; refuse where something has to learn."""
        self._take_saved()
        if hasattr(self, "weights_"):
            return
        if self.needs_fit:
            weights = new_weights(self._weights)
            learners = [type(weights).__name__] if weights.needs_texts else []
            learners += [type(shaper).__name__ for shaper in new_shapers(self._shapers) if learns(shaper)]
            raise NotFittedError(f"{', '.join(learners)} must see texts first: call fit(texts), then encode")
        weights = new_weights(self._weights)
        fit_weights(weights, self.encoder_, {})
        self.shapers_, self.weights_ = new_shapers(self._shapers), weights  # weights last, as there
        self._tell_of_prompts()

    def _fit(self, X: Any, background: Any, wanted: Sequence[str], progress: bool) -> dict[str, Embedded]:
        texts, replaced = check_texts(iter_texts(X))
        corpora = {"target": texts}
        if background is not None:
            corpora["background"], _ = check_texts(iter_texts(background))
        weights, shapers = new_weights(self._weights), new_shapers(self._shapers)
        check_corpora((weights, *shapers), corpora)
        self._forget()
        pipeline = Pipeline(self.encoder_, weights, self._layers, shapers)
        embedded = fit_pipeline(pipeline, corpora, wanted=wanted, progress=progress)
        self._warn_of_few((weights, *shapers), corpora)
        if "target" in embedded:
            embedded["target"].counts.replaced = replaced
        self.weights_, self.shapers_ = weights, shapers
        self.fitted_on_ = FittedOn().with_target(texts).with_background(corpora.get("background"))
        self._tell_of_prompts()
        return embedded

    def _tell_of_prompts(self) -> None:
        """The mean over a causal model is what most people take, and poor; prompts are not widely known.

        Nor is it known of every model that it was tuned for more than token weights and layers can give.
        """
        encoder = self.encoder_
        usual = encoder.usual_weights == encoder.tuned_weights and not self.shapers_
        usual = usual and isinstance(self.weights_, type(new_weights(encoder.tuned_weights)))
        if usual and encoder.pools_linearly and encoder.tuned_beyond:
            log.warning(
                "this model was tuned with %s, which is left out here; sentence-transformers runs it",
                " and ".join(encoder.tuned_beyond),
            )
        elif usual and encoder.causal and not encoder.tuned_for_sentences:
            log.warning(
                "the mean of a causal model's tokens is poor; a prompt and shaping do better: --recipe prompt, or "
                "template 'knowledge', weights 'answer', shapers 'zscore'"
            )

    def _warn_of_few(self, parts: Sequence[Any], corpora: Corpora) -> None:
        sentence = too_few(parts, corpora, Pipeline(self.encoder_, parts[0], self._layers).width)
        if sentence is not None:
            log.warning("%s", sentence)

    def _forget(self) -> None:
        for name in ("weights_", "shapers_", "moments_", "fitted_on_"):
            if hasattr(self, name):
                delattr(self, name)

    def __sklearn_is_fitted__(self) -> bool:
        self._take_saved()
        return hasattr(self, "weights_") or not self.needs_fit

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.input_tags.string = True
        tags.requires_fit = self.needs_fit
        tags.transformer_tags.preserves_dtype = []
        return tags


def _as_given(found: Floats, *given: Any) -> Any:
    """A tensor where the caller works with tensors, alone or in a list."""
    held = any(is_tensor(one) or (isinstance(one, (list, tuple)) and any(map(is_tensor, one))) for one in given)
    return to_tensor(found) if held else found


def open_embedder(recipe: str, model: str | None = None) -> Embedder:
    """Open what a user names: a saved recipe, ready to encode, or a new embedder.

    Parameters
    ----------
    recipe : str
        The folder of a saved recipe, or the name or text form of one.
    model : str, optional
        Replaces the model of the recipe, where it has moved or the recipe is a named one.

    Returns
    -------
    Embedder
        Fitted if it is a saved one.

    Raises
    ------
    RecipeError
        If a saved recipe is damaged, or the folder holds none.
    InputError
        If it is neither a folder, nor a name, nor a text form.
    ModelError
        If the model can't be found or read.
    """
    found = persist.find_recipe(recipe, model)
    if isinstance(found, Path):
        return Embedder.load(found, encoder=persist.moved_encoder(found, model))
    return Embedder.from_recipe(found if model is None else found.on_model(model))
