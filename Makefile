# The commands of this project. `make help` lists them.
# Everything is set up from files here; a second run finds it done.

SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
# Node comes from the PyPI wheel, so that it is no prerequisite.
export PATH := $(CURDIR)/$(BIN):$(PATH)

HOST ?= localhost
PORT ?= 8000
DATA ?= data
WORKERS ?= 3
POLICY ?= query table

SETUP := .venv/.stamp
MODULES := web/node_modules/.stamp
APP := web/dist/.stamp
PYTEST := $(BIN)/python -m pytest --quiet
BOTH_CORES := --numprocesses=2 --dist=loadfile
# What waits more than it computes: for games to be played, for people to be missed.
WAITING := --numprocesses=4 --dist=loadfile
APP_SOURCES := $(shell find web/src web/public web/scripts server/locale -type f 2>/dev/null) web/package.json web/vite.config.ts web/tsconfig.json

.DEFAULT_GOAL := help
.PHONY: help setup run dev cluster fmt lint types unit check test browser chromium tools machine bench crowd fleet soak contract lock clean

help:  ## List these commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(SETUP): requirements-dev.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(MODULES): web/package-lock.json web/package.json | $(SETUP)
	cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(APP): $(APP_SOURCES) $(MODULES)
	cd web && npm run --silent build
	@touch $@

setup: $(SETUP) $(APP)  ## Set everything up: Python, Node, the built app

run: setup  ## Serve on http://localhost:8000 (HOST=, PORT=, DATA=, any RM_ setting)
	exec $(BIN)/rang-milanti serve --host $(HOST) --port $(PORT) --data-dir $(DATA)

dev: setup  ## Serve with reload of both halves: the app on http://localhost:5173, the server behind it
	$(BIN)/python -m server.develop --host $(HOST) --port $(PORT) --data-dir $(DATA)

cluster: setup  ## The whole deployment as processes: edge, workers, store (HOST=, PORT=, DATA=, WORKERS=, POLICY=)
	exec $(BIN)/python -m tests.cluster.run --host $(HOST) --port $(PORT) --data-dir $(DATA)/cluster --workers $(WORKERS) --policy '$(POLICY)'

fmt: $(SETUP) $(MODULES)  ## Format everything
	$(BIN)/ruff format --quiet . && $(BIN)/ruff check --fix --quiet .
	cd web && npm run --silent fmt

lint: $(SETUP) $(MODULES)  ## Lint, layers, the generated contract
	$(BIN)/ruff check --quiet . && $(BIN)/ruff format --quiet --check .
	$(BIN)/lint-imports --no-cache > .lint-imports.log || { cat .lint-imports.log; exit 1; }
	$(BIN)/python -m server.protocol.typescript --check
	cd web && npm run --silent lint

types: $(SETUP) $(MODULES)  ## mypy --strict and tsc --strict
	$(BIN)/mypy
	cd web && npm run --silent types

unit: setup  ## The rooms, the protocol and the rules, without processes or browsers
	$(PYTEST) tests/engine/test_game.py tests/engine/test_shuffle.py tests/engine/test_view.py tests/server/rooms tests/server/protocol
	cd web && npm run --silent unit

check: lint types unit  ## Lint, types and unit tests: under a minute

browser: setup chromium  ## The browser tests alone
	$(PYTEST) tests/browser

# A real Chromium (and openssl, for a certificate): the installed one, or Debian's where we may. Never skipped in silence.
chromium:
	@{ command -v chromium chromium-browser google-chrome >/dev/null || test -n "$$RM_CHROMIUM"; } && \
	command -v openssl >/dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-beng openssl > /dev/null; \
	else \
		echo 'The tests need Chromium and openssl. Install them with: sudo apt-get install chromium fonts-beng openssl'; exit 1; \
	fi

# What else the tests take from the system, as command:package of Debian, one a line.
TOOLS := \
	strace:strace \
	ip:iproute2 \
	iptables:iptables \
	faketime:faketime \
	promtool:prometheus

tools:
	@missing=; for each in $(TOOLS); do \
		PATH="$$PATH:/usr/sbin:/sbin" command -v "$${each%%:*}" >/dev/null || missing="$$missing $${each##*:}"; \
	done; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing > /dev/null; \
	else \
		echo "The tests need$$missing. Install with: sudo apt-get install$$missing"; exit 1; \
	fi

# Some faults need a network and a disk of the test's own. Who is not root is so in a namespace of their own.
ifneq ($(shell id -u),0)
AS_ROOT := unshare --user --map-root-user --mount --net bash -c 'PATH="$$PATH:/usr/sbin:/sbin"; ip link set lo up && "$$@"' --
endif

test: setup chromium tools lint types  ## Every check there is: what CI runs
	$(PYTEST) tests/engine $(BOTH_CORES) --cov=engine --cov-fail-under=100 --cov-report=term:skip-covered
	$(PYTEST) tests/server $(BOTH_CORES) --cov=server --cov-fail-under=90 --cov-report=term:skip-covered
	$(PYTEST) tests/wire $(WAITING)
	$(AS_ROOT) $(PYTEST) tests/cluster $(BOTH_CORES)
	$(PYTEST) tests/browser $(BOTH_CORES)
	cd web && npm run --silent test

machine: setup  ## Let the state machine of the wire look for trouble for some minutes (EXAMPLES=200)
	RM_MACHINE=$(or $(EXAMPLES),200) RM_MACHINE_STEPS=80 $(PYTEST) tests/wire/test_machine.py

soak: setup  ## Play many tables through random faults for a while: MINUTES=5 TABLES=200 SEED=1
	$(BIN)/python -m tests.cluster.soak.run --minutes $(or $(MINUTES),5) --tables $(or $(TABLES),200) --seed $(or $(SEED),1)

bench: setup  ## Measure: the engine's speed, a server under 100 tables, and a thousand watchers at one
	$(BIN)/python -m pytest --quiet -s tests/bench/bench_*.py
	$(BIN)/python -m tests.bench.load --tables 100
	$(BIN)/python -m tests.bench.watchers

crowd: setup  ## Measure: what a thousand watchers cost the players of their table
	$(BIN)/python -m tests.bench.watchers

fleet: setup  ## Measure: whether a reveal costs more where there are more workers
	$(BIN)/python -m tests.bench.fleet

contract: $(SETUP)  ## Write web/src/protocol.ts anew from the records
	$(BIN)/python -m server.protocol.typescript > web/src/protocol.ts

COMPILE := $(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links \
	--no-emit-trusted-host --no-emit-options --no-header --allow-unsafe --strip-extras

lock: $(SETUP)  ## Make the locks anew from pyproject.toml and web/package.json
	$(COMPILE) --output-file requirements.txt pyproject.toml
	$(COMPILE) --extra dev --output-file requirements-dev.txt pyproject.toml
	cd web && npm run --silent lock

clean:  ## Remove all that was set up (not the data)
	rm -rf .venv web/node_modules web/dist
