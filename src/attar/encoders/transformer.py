"""Transformer: any Hugging Face encoder or decoder as an Encoder, loaded on first use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from attar.checkpoints import Checkpoint, default, open_checkpoint
from attar.checkpoints.opening import WEIGHT_FORMATS
from attar.encoders.precision import PRECISIONS, Choice, choose
from attar.engine.devices import known_device
from attar.engine.direct import DirectModel
from attar.engine.fastest_ids import quicken
from attar.engine.loading import load_model
from attar.engine.sums import pool_rows
from attar.errors import InputError, ModelError, unknown_name
from attar.tokens.templates import Template
from attar.tokens.tokenizer import TextTokenizer
from attar.types import Encoder, Floats, Frame, Tokens, TokenVectors, VisitTokens, Vocabulary

if TYPE_CHECKING:
    import tokenizers

    from attar.engine.batch import Batch
    from attar.engine.loading import Model


class Transformer(Encoder):
    """A pretrained transformer, loaded on first use.

    Parameters
    ----------
    name_or_folder : str or Path, optional
        A model folder or a hub name; None for the embedded default model. The network is never used for a folder.
    template : Template or str, optional
        The words around every text: a Template, its text or its name, such as "T4".
    revision : str, optional
        The branch, tag or commit of a hub model.
    max_tokens : int, optional
        Cut texts there instead of at the model's own limit; special and template tokens count.
    windows : int, optional
        Instead of cutting, average windows that share this many tokens.
    weights_format : {"safetensors", "pickle"}
        "pickle" loads weights that only exist as a pickle, which can run code: only for sources you trust.
    threads : int, optional
        How many cores to use; None for as many as torch would.
    precision : {"float32", "float64", "bfloat16", "int8", "auto"}
        "float64" runs the model in float64, by transformers, several times slower: for comparing digits, and for
        models that amplify rounding. "bfloat16" and "int8" multiply shorter numbers: faster where the processor can
        (bfloat16 by about 1.8 times, with a cosine to float32 of 0.9999 and more; int8 by more, but vectors differ).
        "auto" takes the fastest that keeps that cosine on this machine.
    device : str
        Where torch computes: "cpu", "cuda", "cuda:1" or "mps". On another one than "cpu" the model is run by
        transformers. A saved recipe does not name it: vectors are the same to rounding.

    Raises
    ------
    InputError
        If a value is not allowed.

    Examples
    --------
    >>> Transformer("bert-base-uncased", template="T4")  # doctest: +SKIP
    """

    kind = "transformer"
    contextual = True
    texts_at_once = 1024

    def __init__(
        self,
        name_or_folder: str | Path | None = None,
        template: Template | str | None = None,
        revision: str | None = None,
        max_tokens: int | None = None,
        windows: int | None = None,
        weights_format: str = "safetensors",
        threads: int | None = None,
        precision: str = "float32",
        device: str = "cpu",
    ) -> None:
        self.name = default.NAME if name_or_folder is None else str(name_or_folder)
        self.template = Template.parse(template) if isinstance(template, str) else template
        self.revision = revision
        self.max_tokens = max_tokens
        self.windows = windows
        self.weights_format = weights_format
        self.threads = threads
        self.precision = precision
        self.device = known_device(device)
        if self.template is not None and not isinstance(self.template, Template):
            raise InputError(f"template={template!r} is not a Template, its text or its name, such as 'T4'")
        if weights_format not in WEIGHT_FORMATS:
            raise unknown_name("weights_format", weights_format, WEIGHT_FORMATS)
        _known_precision(precision)

    @property
    def n_layers(self) -> int:
        return self._model.n_layers

    @property
    def first_layer(self) -> int:
        return -1

    @property
    def usual_weights(self) -> str:
        """Where a template has an answer of its own, that: its masks, or the end of a published prompt."""
        return self.tuned_weights if self.template is None else self.template.usual_weights

    @property
    def causal(self) -> bool:
        kinds = self.checkpoint.settings.get("architectures") or ()
        return self._model.causal or any(str(kind).endswith("ForCausalLM") for kind in kinds)

    @property
    def tuned_for_sentences(self) -> bool:
        return self.checkpoint.is_tuned_for_sentences

    @property
    def tuned_weights(self) -> str:
        return "mean" if self.template is not None else self.checkpoint.tuned.weights

    @property
    def tuned_beyond(self) -> tuple[str, ...]:
        return self.checkpoint.tuned.beyond

    @property
    def vocabulary(self) -> Vocabulary:
        return self._tokenizer.vocabulary

    @property
    def backend_tokenizer(self) -> tokenizers.Tokenizer:
        return self._tokenizer.backend

    @property
    def frame(self) -> Frame:
        return self._tokenizer.frame

    def with_template(self, template: str | None) -> Transformer:
        _ = self._model  # so that it is loaded, and its checkpoint opened, once for all templates
        other = copy(self)
        other.__dict__.pop("_tokenizer", None)
        other.template = None if template is None else Template.parse(template)
        return other

    def configured(
        self, *, threads: int | None = None, precision: str | None = None, device: str | None = None
    ) -> Transformer:
        if threads is None and precision is None and device in (None, self.device):
            return self
        other = copy(self)
        other.__dict__.pop("_model", None)
        other.threads = self.threads if threads is None else threads
        other.precision = self.precision if precision is None else _known_precision(precision)
        other.device = self.device if device is None else known_device(device)
        return other

    def width(self, layer: int) -> int:
        if layer == -1:
            return int(self._model.table.shape[1])
        return self._model.last_width if layer == self._model.n_layers else self._model.width

    def tokenize(self, texts: Sequence[str]) -> Tokens:
        tokens = self._tokenizer(texts)
        most = int(tokens.ids.max(initial=-1))
        if most >= len(self._model.table):
            raise ModelError(
                f"the tokenizer and the weights of {self.name!r} do not belong together: a text has token id {most}, "
                f"but the weights know only {len(self._model.table)} tokens"
            )
        return tokens

    def pool(self, tokens: Tokens, token_weights: Floats, layers: Sequence[int]) -> Floats:
        self._check_layers(layers)
        width = self.width(layers[0])
        pooled = np.zeros((len(token_weights), len(tokens), len(layers), width), dtype=np.float32)
        for at, layer in enumerate(layers):
            if layer == -1:
                table = self._model.table
                rows, ids = (table, tokens.ids) if isinstance(table, np.ndarray) else (self._rows(tokens), None)
                pooled[:, :, at] = pool_rows(rows, ids, token_weights, tokens.offsets, threads=None)

        def visit(batch: Batch, layer: int, states: Floats) -> None:
            sums = pool_rows(states, None, token_weights[:, batch.places], batch.offsets)
            for at in np.flatnonzero(np.equal(layers, layer)):
                pooled[:, batch.sequences, at] = sums

        deep = sorted({layer for layer in layers if layer >= 0})
        if deep:
            self._model.run(tokens, deep, visit)
        return pooled

    def token_vectors(self, tokens: Tokens, layers: Sequence[int]) -> TokenVectors:
        self._check_layers(layers)
        by_layer = {
            layer: np.empty((len(tokens.ids), self.width(layer)), dtype=np.float32) for layer in layers if layer >= 0
        }

        def visit(batch: Batch, layer: int, states: Floats) -> None:
            by_layer[layer][batch.places] = states

        if by_layer:
            self._model.run(tokens, sorted(by_layer), visit)
        if -1 in layers:
            by_layer[-1] = self._rows(tokens)
        return TokenVectors(by_layer)

    def each_batch(self, tokens: Tokens, layers: Sequence[int], visit: VisitTokens) -> None:
        """Call `visit` with the vectors of each batch as they are computed, by several threads at once.

        Parameters
        ----------
        tokens : Tokens
            N sequences.
        layers : sequence of int
            The wanted layers.
        visit : callable
            Called with the number of the batch, the places of its tokens, a layer and the vectors (T of the batch,
            D).
        """
        self._check_layers(layers)
        if min(layers) < 0:
            super().each_batch(tokens, layers, visit)
            return
        self._model.run(tokens, sorted(layers), lambda b, layer, x: visit(b.number, b.places, layer, x))

    def own_attention(self, tokens: Tokens, layer: int, head: int) -> Floats:
        """How much each token attends to itself in one head.

        Parameters
        ----------
        tokens : Tokens
            T tokens of N sequences.
        layer, head : int
            Both from 1.

        Returns
        -------
        ndarray of float32, of shape (T,)
            The diagonal of the attention: from 0 to 1.

        Raises
        ------
        InputError
            If there is no such layer or head, or the model does not run straight from its files.
        """
        model = self._model
        if not isinstance(model, DirectModel):
            raise InputError(
                f"the attention of {self.name!r} can't be had: only that of BERT-like models that run straight from "
                "their files (see `attar info`), and not in float64"
            )
        if not 1 <= layer <= model.n_layers or not 1 <= head <= model.n_heads(layer):
            raise InputError(
                f"there is no head {head} in layer {layer}: {self.name!r} has layers 1 to {model.n_layers} of "
                f"{model.n_heads(1)} heads, from 1"
            )
        return model.own_attention(tokens, layer, head - 1)

    def spec(self) -> dict[str, Any]:
        return {
            "type": self.kind,
            "model": self._lasting_name(),
            "revision": self.revision,
            "template": self.template.text if self.template else None,
            "max_tokens": self.max_tokens,
            "windows": self.windows,
            "weights_format": self.weights_format,
            "precision": self.precision,
        }

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], folder: Path | None = None) -> Self:
        if not isinstance(spec["model"], str):
            raise ModelError(f"the recipe names the model {spec['model']!r}, which is not a folder or a hub name")
        if spec["weights_format"] != "safetensors":  # who reads a recipe has not said that its source is trusted
            raise ModelError(
                f"the recipe asks for weights as {spec['weights_format']!r}, which can run code; if you trust "
                f"{spec['model']!r}, give the model yourself: Embedder.load(folder, encoder=Transformer(...))"
            )
        return cls(
            spec["model"],
            template=Template(spec["template"]) if spec["template"] is not None else None,
            revision=spec["revision"],
            max_tokens=spec["max_tokens"],
            windows=spec["windows"],
            weights_format=spec["weights_format"],
            precision=spec.get("precision", "float32"),  # not in recipes of the first version
        )

    def describe(self) -> dict[str, Any]:
        vocabulary = self.vocabulary
        facts = {
            "model": self.name,
            "folder": str(self.folder),
            "family": self.checkpoint.settings.get("model_type"),
            "weights": self.checkpoint.quantisation,
            "run by": self._model.run_by,
            "layers": f"-1 (token table), 0 (input), 1 to {self.n_layers}",
            "width": self.width(self.n_layers),
            "width of layer -1": self.width(-1),
            "vocabulary": len(vocabulary),
            "mask token": vocabulary.pieces[vocabulary.mask_id] if vocabulary.mask_id is not None else None,
            "special tokens around a text": [vocabulary.pieces[i] for i in self.tokenize([""]).ids],
            "tokens per text at most": self.token_limit,
            "sequences packed": self.packs,
            "precision auto": self.choice.why,
            "sha256": self.fingerprint,
        }
        if self.name == default.NAME:
            facts["official weights"] = default.verify() == default.SHA256
        return facts

    @cached_property
    def checkpoint(self) -> Checkpoint:
        """Where the model comes from."""
        return open_checkpoint(self.name, self.revision, self.weights_format)

    @property
    def folder(self) -> Path:
        """Where the model's files are."""
        return self.checkpoint.folder

    @property
    def fingerprint(self) -> str:
        """A hash of the weights: tells whether a recipe meets the model it was fitted with."""
        return self.checkpoint.sha256

    @cached_property
    def _model(self) -> Model:
        if self.precision == "auto" and self.device == "cpu":
            return self.choice.encoder._model
        return load_model(self.checkpoint, self.threads, self.precision, self.device)

    @cached_property
    def choice(self) -> Choice:
        """What precision="auto" comes to on this machine, and why."""
        exact, quick = (self._plainly(precision) for precision in ("float32", "bfloat16"))
        return choose(exact, quick)

    def _plainly(self, precision: str) -> Transformer:
        """The same model without a template, in that precision."""
        return Transformer(
            self.name,
            revision=self.revision,
            weights_format=self.weights_format,
            threads=self.threads,
            precision=precision,
        )

    @cached_property
    def _tokenizer(self) -> TextTokenizer:
        tokenizer, mask_token = self.checkpoint.tokenizer()
        return quicken(TextTokenizer(tokenizer, self.template, self.token_limit, self.windows, mask_token))

    def _lasting_name(self) -> str:
        """A name that still opens the model from another working directory."""
        if self.name == default.NAME or self.checkpoint.local is None:
            return self.name
        return str(self.checkpoint.local.resolve())

    @property
    def packs(self) -> bool:
        """Whether sequences go through it packed end to end, or in batches of equal length."""
        return self._model.packs

    @property
    def token_limit(self) -> int | None:
        """How many tokens a sequence may have: the user's wish, within what the model can take."""
        most = self._model.max_tokens
        if self.max_tokens is None:
            known = [n for n in (most, self.checkpoint.token_limit) if n is not None]
            return min(known, default=None)
        if most is not None and isinstance(self.max_tokens, int) and self.max_tokens > most:
            raise InputError(f"max_tokens={self.max_tokens} is more than the model's {most} positions")
        return self.max_tokens

    def _rows(self, tokens: Tokens) -> Floats:
        rows: Floats = self._model.table[tokens.ids]
        return rows

    def _check_layers(self, layers: Sequence[int]) -> None:
        for layer in layers:
            if not -1 <= layer <= self.n_layers:
                raise InputError(
                    f"layer {layer} is out of range: {self.name!r} has the layers -1 (token table), 0 (input) "
                    f"and 1 to {self.n_layers}"
                )
        widths = {layer: self.width(layer) for layer in layers}
        if len(set(widths.values())) > 1:
            shown = ", ".join(f"layer {layer}: {width}" for layer, width in sorted(widths.items()))
            raise InputError(f"layers of different width can't be mixed ({shown}); take only layers of one width")

    def __copy__(self) -> Self:
        """Shares what is loaded."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # never changes; a copy would load the model again

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_model", "_tokenizer", "choice")}

    def __repr__(self) -> str:
        shown = [repr(self.name)]
        for key in ("template", "revision", "max_tokens", "windows"):
            value = getattr(self, key)
            if value is not None:
                shown.append(f"{key}={value.name if isinstance(value, Template) else value!r}")
        if self.precision != "float32":
            shown.append(f"precision={self.precision!r}")
        if self.device != "cpu":
            shown.append(f"device={self.device!r}")
        return f"Transformer({', '.join(shown)})"


def _known_precision(precision: str) -> str:
    if precision not in PRECISIONS:
        raise unknown_name("precision", precision, PRECISIONS)
    return precision
