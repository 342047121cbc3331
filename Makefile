# Every target installs what it lacks, inside .venv and frontend/node_modules; only `experiments` needs root.
PYTHON ?= python3
BIN := .venv/bin
UI_SOURCES := $(shell find frontend -path frontend/node_modules -prune -o -path frontend/dist -prune -o -type f ! -name '*.tsbuildinfo' -print)
# The page is built while the rest of what tests need is installed.
MAKEFLAGS += --jobs=2
.DEFAULT_GOAL := help
.PHONY: help install demo test test-long test-pythons bench experiments lint docs ui release images pins clean

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: .venv/.test ui ## Make .venv with the worker and test extras, and build the web page

demo: .venv/.worker ui ## Serve, run one benchmark, show it (EXIT=1: then stop; PORT=8000)
	@exec $(BIN)/ringscope demo $(if $(filter-out 0,$(EXIT)),--exit) $(if $(PORT),--port $(PORT))

test: .venv/.test ui ## The gate: every promise once, in minutes (CI=true: only the GPU tier may be skipped)
	@exec $(BIN)/python -m scripts.test $(TIERS)

test-long: .venv/.long ui ## What is long by nature: matrices, soaks, volumes (TIERS="server web": only these)
	@exec $(BIN)/python -m scripts.test --long $(TIERS)

test-pythons: .venv/.test ui ## The gate's fast, server and cluster tiers on each Python that is here (PYTHONS="3.12 3.13" TIERS=fast; ALL=1: none may be missing)
	@TIERS="$(TIERS)" scripts/pythons

bench: .venv/.bench ## Measure the engine beside its peers and limits; a missed target is an error (PARTS="one_node links model training training_links untuned"; links need root)
	@exec $(BIN)/python -m benchmarks $(PARTS)

experiments: .venv/.bench ## The lecture's claims on ten hosts with real links, measured beside predicted; a missed target is an error (root; QUICK=1: less)
	@exec $(BIN)/python -m benchmarks.experiments $(if $(filter-out 0,$(QUICK)),--quick)

lint: .venv/.test ui ## Check style, types and import arrows
	@exec $(BIN)/python -m scripts.test lint

docs: .venv/.docs ## Render the documentation with search into build/docs; a broken link is an error (DOCS_SOURCE_URL=https://HOST/REPO/blob/main: link source files too)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

ui: .venv/.worker frontend/dist/index.html ## Build the web page if its sources changed

release: .venv/.release ui ## Build the wheel and the sdist with the page into dist, twice and alike, with checksums and a list of packages
	@$(BIN)/python -m scripts.release

images: .venv/.worker ## Build the container images server and worker, check their sizes, list their packages in dist (BASES=local: no registry; TARGETS=worker-cuda)
	@$(BIN)/python -m scripts.images $(if $(filter local,$(BASES)),--local-bases) $(if $(ENGINE),--engine $(ENGINE)) $(TARGETS)

pins: ## Renew constraints.txt, the versions that tests and benchmarks run with (KEEP=1: only add what lacks one)
	KEEP=$(filter-out 0,$(KEEP)) PYTHON=$(PYTHON) scripts/pins

clean: ## Remove what was built; data directories stay
	rm -rf .venv frontend/node_modules frontend/dist dist build/docs build/pythons .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/.worker: pyproject.toml constraints.txt scripts/venv scripts/node
	@PYTHON=$(PYTHON) scripts/venv && scripts/node && touch $@

.venv/.test: .venv/.worker
	@PYTHON=$(PYTHON) scripts/venv --group dev && touch $@

.venv/.long: .venv/.test
	@PYTHON=$(PYTHON) scripts/venv --group dev --group long && touch $@

.venv/.bench: .venv/.worker
	@PYTHON=$(PYTHON) scripts/venv --group bench && touch $@

.venv/.release: .venv/.worker
	@PYTHON=$(PYTHON) scripts/venv --group release && touch $@

.venv/.docs: .venv/.worker
	@PYTHON=$(PYTHON) scripts/venv --group docs && touch $@

frontend/dist/index.html: $(UI_SOURCES) scripts/ui | .venv/.worker
	@scripts/ui build -- --logLevel=warn && touch $@
