"""A checkpoint to a loaded model: straight from its arrays where it is known, by transformers else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attar.checkpoints import Checkpoint, GgufCheckpoint
from attar.checkpoints.hub import load_failure
from attar.engine.devices import check_device
from attar.errors import InputError, MissingExtra, ModelError
from attar.io.foreign import reading

if TYPE_CHECKING:
    from attar.engine.decoder_model import DecoderModel
    from attar.engine.direct import DirectModel
    from attar.engine.model import LayeredModel

    Model = DirectModel | DecoderModel | LayeredModel


def load_model(
    checkpoint: Checkpoint, threads: int | None = None, precision: str = "float32", device: str = "cpu"
) -> Model:
    """The model itself: straight from its files where it is known; by transformers else, and in float64.

    Parameters
    ----------
    checkpoint : Checkpoint
        Where it comes from.
    threads : int or None
        How many cores it may use; None for as many as torch would.
    precision : str
        "float32", "bfloat16", "int8" or "float64".
    device : str
        Where torch computes; on another one than "cpu" the model is run by transformers.

    Returns
    -------
    DirectModel, DecoderModel or LayeredModel

    Raises
    ------
    ModelError
        Where the checkpoint is refused, damaged, or of an architecture that can't be used.
    MissingExtra
        Where transformers is needed and not installed.
    """
    with reading(checkpoint.location, ModelError):
        if checkpoint.local is not None:
            checkpoint.check()
        model = _load(checkpoint, precision) if device == "cpu" else _load_on_device(checkpoint, precision, device)
    model.threads = threads
    return model


def _load(checkpoint: Checkpoint, precision: str) -> Model:
    if isinstance(checkpoint, GgufCheckpoint):
        return _open_gguf(checkpoint, precision)
    model: Model | None = None
    if checkpoint.weights_format == "safetensors" and precision != "float64":
        model = open_directly(checkpoint, precision)
    return _load_by_transformers(checkpoint, precision) if model is None else model


def open_directly(checkpoint: Checkpoint, precision: str = "float32") -> DirectModel | DecoderModel | None:
    """The model without torch and transformers; None where it is not surely of a known architecture."""
    from attar.engine.families import Unexpected, build_model, is_known
    from attar.engine.products import PRODUCTS

    try:
        settings = checkpoint.settings
        if not is_known(settings) or "transformers_weights" in settings:
            return None
        return build_model(settings, checkpoint.arrays(), PRODUCTS[precision])
    except (Unexpected, ModelError):  # transformers knows more, also what to say of damage
        return None


def _open_gguf(checkpoint: GgufCheckpoint, precision: str) -> DirectModel | DecoderModel:
    """The model of a GGUF file, which no other library is asked to run."""
    from attar.engine.families import Unexpected, build_model
    from attar.engine.products import PRODUCTS

    if precision not in ("float32", "bfloat16"):
        raise InputError(
            f"precision={precision!r} is not for a GGUF file, whose weights are used as they are stored; allowed are "
            "'float32' and 'bfloat16', which is what they are multiplied in"
        )
    try:
        return build_model(checkpoint.settings, checkpoint.arrays(), PRODUCTS[precision])
    except Unexpected:
        raise ModelError(
            f"{checkpoint.location} is not a {checkpoint.settings['model_type']} model as it is known: a setting or an "
            "array is missing, left over or of another shape; give the model as safetensors, for transformers to run"
        ) from None


def _load_on_device(checkpoint: Checkpoint, precision: str, device: str) -> LayeredModel:
    if isinstance(checkpoint, GgufCheckpoint):
        raise InputError(
            f"device={device!r} is not for a GGUF file, which runs on the CPU; give the model's own folder"
        )
    if precision not in ("float32", "float64", "auto"):
        raise InputError(f"precision={precision!r} is for the CPU; with device={device!r} leave it at 'float32'")
    return _load_by_transformers(checkpoint, "float32" if precision == "auto" else precision, device)


def _load_by_transformers(checkpoint: Checkpoint, precision: str, device: str = "cpu") -> LayeredModel:
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError:
        raise MissingExtra("running a transformer", "models") from None
    from attar.engine import packing
    from attar.engine.model import LayeredModel

    packing.register()
    check_device(device)
    return LayeredModel(load_pretrained(checkpoint, precision), precision, device)


def load_pretrained(checkpoint: Checkpoint, precision: str) -> Any:
    """The plain transformers model, without remote code, of which every array is in the weights.

    Of a model with encoder and decoder, its encoder; of one that reads images too, its language model.

    Raises
    ------
    ModelError
        Where transformers can't load it, or would make up arrays.
    """
    import torch
    import transformers

    from attar.engine.quiet import quiet

    if isinstance(checkpoint, GgufCheckpoint):
        raise ModelError(
            f"{checkpoint.location} is a GGUF file, which Attar runs by itself; an export needs the model's own folder "
            "with safetensors"
        )

    local = checkpoint.local is not None
    try:
        with quiet():
            model, info = transformers.AutoModel.from_pretrained(
                checkpoint.location,
                revision=checkpoint.revision,
                local_files_only=local,
                use_safetensors=checkpoint.weights_format == "safetensors",
                trust_remote_code=False,
                dtype=torch.float64 if precision == "float64" else torch.float32,
                output_loading_info=True,
            )
    except Exception as error:  # of many kinds: a damaged file can make these libraries stumble anywhere
        raise load_failure(checkpoint.location, error, local=local) from None
    half = _reading_half(model)
    missing = sorted(k for k in info["missing_keys"] if "pooler" not in k and _is_of(half, k, model))
    if missing:
        raise ModelError(
            f"the weights of {checkpoint.location!r} lack {len(missing)} of the model's arrays "
            f"({', '.join(missing[:3])} ...); they would be random: is config.json the right one for these weights?"
        )
    _check_finite(half, checkpoint.location)
    return half


def _check_finite(model: Any, location: str) -> None:
    """Refuses NaN and inf, of which torch's attention makes zeros; rows of tables come through as they are."""
    import torch

    for name, module in model.named_modules():
        for own, array in module.named_parameters(recurse=False):
            if not isinstance(module, torch.nn.Embedding) and not bool(torch.isfinite(array).all()):
                raise ModelError(
                    f"the array {'.'.join(filter(None, (name, own)))!r} in the weights of {location!r} holds NaN or "
                    "inf; get the model anew"
                )


def _reading_half(model: Any) -> Any:
    """The encoder of a model that has a decoder too (some settings of T5 deny it); any other model itself.

    Of one that reads images too, its language model, if that gives texts the same states.
    """
    both = model.config.is_encoder_decoder or (hasattr(model, "encoder") and hasattr(model, "decoder"))
    if both:
        return model.get_encoder()
    if getattr(model.config, "text_config", None) is None:
        return model
    half = getattr(model.get_decoder(), "base_model", None)
    return half if half is not None and _reads_the_same(half, model) else model


def _reads_the_same(half: Any, model: Any) -> bool:
    """The whole is tried with the plainest attention: quicker kinds leave out what some models want seen."""
    import torch

    ids, usual = torch.arange(10, 17)[None], model.config._attn_implementation
    with torch.inference_mode():
        try:
            found = half.eval()(input_ids=ids).last_hidden_state
            model.set_attn_implementation("eager")
            wanted = model.eval()(input_ids=ids).last_hidden_state
        except (TypeError, ValueError, RuntimeError, IndexError, KeyError, AttributeError):
            return False
        finally:
            model.set_attn_implementation(usual)
    return found.shape == wanted.shape and bool(torch.allclose(found, wanted, rtol=1e-4, atol=1e-4))


def _is_of(half: Any, name: str, model: Any) -> bool:
    """Whether an array of the model is one that its half needs."""
    if half is model or model.config.is_encoder_decoder or hasattr(model, "encoder"):
        return half is model or not name.startswith("decoder.")
    return any(name.startswith(f"{own}.") for own, module in model.named_modules() if own and module is half)
