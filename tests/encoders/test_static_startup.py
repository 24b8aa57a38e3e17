"""Static models work where torch and transformers are not installed, and do not bring scikit-learn along."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
from small_tables import few_vectors, few_words

from attar import Random, Table, WordVectors
from attar.engine.kernels import compiled_kernels

BLOCK = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "transformers", "sentence_transformers"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""


def run(code: str) -> dict:
    done = subprocess.run([sys.executable, "-c", BLOCK + code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_tables_without_torch(tmp_path):
    table = Table(few_vectors(), few_words())
    table.save(tmp_path / "table")
    found = run(f"""
import json
from attar import Table
vectors = Table.load({str(tmp_path / "table")!r}).encode(["the cat", "dog"])
names = "torch transformers sklearn pandas pyarrow numba tqdm scipy"
heavy = sorted(set(sys.modules) & set(names.split()))
print(json.dumps({{"vectors": vectors.tolist(), "heavy": heavy}}))
""")
    np.testing.assert_array_equal(np.array(found["vectors"], np.float32), table.encode(["the cat", "dog"]))
    assert found["heavy"] == ([] if compiled_kernels() else ["scipy"])  # which sums where nothing was compiled


def test_the_others_without_torch(tmp_path):
    Random(few_words(), dims=4).save(tmp_path / "random")
    WordVectors.of(["cat"], [[1.0, 2.0]]).save(tmp_path / "words")
    found = run(f"""
import json
from attar import Embedder, Mix, Random, Table, WordVectors, weights
random = Random.load({str(tmp_path / "random")!r})
words = WordVectors.load({str(tmp_path / "words")!r})
mixed = Embedder(Mix(random, random), weights=weights.Idf()).fit(["the cat", "dog"]).encode(["the cat", "dog"])
print(json.dumps([random.encode(["cat"]).shape, words.encode(["cat"]).tolist(), mixed.shape, "torch" in sys.modules]))
""")
    assert found == [[1, 4], [[1.0, 2.0]], [2, 4], False]
