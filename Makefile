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

SETUP := .venv/.stamp
MODULES := web/node_modules/.stamp
APP := web/dist/.stamp
APP_SOURCES := $(shell find web/src web/public server/locale -type f 2>/dev/null) web/package.json web/vite.config.ts web/tsconfig.json

.DEFAULT_GOAL := help
.PHONY: help setup run dev fmt lint types unit check test browser bench lock clean

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

lock:  ## Make the locks anew from pyproject.toml
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options --no-header --allow-unsafe --strip-extras --output-file requirements.txt pyproject.toml
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options --no-header --allow-unsafe --strip-extras --extra dev --output-file requirements-dev.txt pyproject.toml

clean:  ## Remove all that was set up (not the data)
	rm -rf .venv web/node_modules web/dist
