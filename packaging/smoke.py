"""Whether an installed Attar works: kernels are there, and a text has one vector. Prints a hash, may write vectors.

python packaging/smoke.py [VECTORS.npy]
"""

from __future__ import annotations

import hashlib
import sys

import numpy as np

import attar
from attar import Embedder, Transformer
from attar.demo.recipes import installed_causal_model
from attar.demo.sample import Sample
from attar.engine.decoder_library import decoder_library
from attar.engine.library import open_library

library = open_library()
assert library is not None, "the kernels are not there"
assert decoder_library() is not None, "the kernels of causal models are not there"
assert "torch" not in sys.modules
texts = Sample.read().documents
vectors = Embedder().encode(texts)
assert vectors.shape == (len(texts), 384), vectors.shape
assert np.isfinite(vectors).all()
np.testing.assert_array_equal(vectors[3], Embedder().encode(texts[3]))  # alone as among others
parts = [vectors.ravel()]
model = installed_causal_model()
if model is not None:
    parts.append(Embedder(Transformer(model, template="eol"), weights="answer").encode(texts[:8]).ravel())
found = np.concatenate(parts)
if len(sys.argv) > 1:
    np.save(sys.argv[1], found)
digest = hashlib.sha256(found.tobytes()).hexdigest()[:16]
print(f"attar {attar.__version__}, Python {sys.version.split()[0]}, {library.abilities!r}, vectors {digest}")
