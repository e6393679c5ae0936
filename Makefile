# Each target sets up what it needs, and only what has changed since: the stamps remember.
# The system's own Python first: distributions tune theirs when they build it, and one built from source, as by pyenv,
# usually was not. It serves a tap in two thirds of the time.
PYTHON ?= $(shell for each in /usr/bin/python3 python3; do \
	$$each -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$each && exit; \
	done; echo python3)
PORT ?= 8000
HTTPS ?=
# Not ?=, since some shells export their own HOST.
HOST = 0.0.0.0
PYTEST_ARGS ?= -n 4 --dist worksteal
LOCK_ARGS ?=
# Some shells forbid Python to keep what it compiled; then every start of a server compiles all of it again.
export PYTHONDONTWRITEBYTECODE =

BIN := .venv/bin
OBSERVATORY := .observatory/node_modules/.package-lock.json
PIP := $(BIN)/python -m pip --disable-pip-version-check
NPM = PATH="$$PATH:$(CURDIR)/$(BIN)" npm
COMPILE = $(BIN)/uv --no-config pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command "make lock" $(LOCK_ARGS)

.DELETE_ON_ERROR:
.PHONY: help run test pytest test-rules pictures lint proof bench bench-rules lock vendor dist bare clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile

run: .venv/run.stamp static/vendor/htmx.min.js ## open the shelf to phones nearby: make run PORT=8000 HOST=0.0.0.0
	@exec $(BIN)/companion serve --host $(HOST) --port $(PORT) $(if $(HTTPS),--https)

test: ## everything that must hold: lint, types, import contracts, tests
	@$(MAKE) --no-print-directory --jobs=3 .venv/test.stamp static/vendor/htmx.min.js $(OBSERVATORY)
	@.ci/services
	@$(MAKE) --no-print-directory --keep-going --jobs=2 lint pytest

# Beside lint, which has one core's work for a while; if either fails, so does `make test`.
pytest: .venv/test.stamp
	$(BIN)/python -m pytest $(PYTEST_ARGS)

test-rules: .venv/test.stamp ## what needs no browser, database or server: the rules of every game, in a minute
	$(BIN)/python -m pytest $(PYTEST_ARGS) tests/core tests/tools tests/games tests/test_every_game.py tests/test_pieces.py \
		tests/test_golden.py tests/test_adjudicate.py

pictures: .venv/test.stamp static/vendor/htmx.min.js ## draw those of README and CONTRIBUTING anew, into docs/
	COMPANION_PICTURES=yes $(BIN)/python -m pytest -q tests/browser/pictures.py tests/browser/test_lantern_lane.py

lint: .venv/test.stamp ## style, types and what may import what
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests/sixth_room/lantern_lane
	$(BIN)/lint-imports --no-logo

# One after the other: what is proven of a server that is leaned on wants both cores.
proof: .venv/test.stamp static/vendor/htmx.min.js ## kills, power cuts, fuzz, rights, attacks, damage, counted in a table: make proof KILLS=50
	@.ci/services
	PROOF=full $(BIN)/python -m pytest -q -m proof tests/proof tests/web/test_rights.py tests/test_mutated.py

bench: .venv/test.stamp static/vendor/htmx.min.js ## speed beside the peers, and which goals hold: make bench ONLY=capacity,join
	@PATH="$$PATH:$(CURDIR)/$(BIN)" $(BIN)/python -m bench

bench-rules: .venv/run.stamp ## how often the rules look-up finds the right ruling, beside plain full-text search
	$(BIN)/python bench/rules.py

lock: .venv/bin/python ## pin again: make lock, or make lock LOCK_ARGS=--upgrade
	$(PIP) install --quiet uv
	$(COMPILE) pyproject.toml --group build --extra server --output-file requirements.txt
	$(COMPILE) pyproject.toml --group build --extra server --extra test --no-annotate --constraint requirements.txt --output-file requirements-test.txt
	$(COMPILE) --group node --output-file requirements-node.txt
	$(NPM) install --package-lock-only

vendor: static/vendor/htmx.min.js ## htmx and the typeface, into static/vendor

dist: .venv/run.stamp static/vendor/htmx.min.js ## a wheel with all that a laptop needs, into dist/
	$(BIN)/python -m hatchling build --target wheel

bare: ## README's page for a server, followed word for word on a Debian root made for it; takes root and its time
	@.ci/services debootstrap systemd-container
	$(PYTHON) tests/bare.py $(BARE)

clean: ## forget all that was built; instance/ stays
	rm -rf .venv node_modules .observatory static/vendor dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find companion tests -name __pycache__ -prune -exec rm -rf {} +

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "companion needs Python 3.11 or newer; try make PYTHON=python3.11")'
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || .ci/services "$$($(PYTHON) -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')"
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null
	$(PYTHON) -m venv .venv

.venv/run.stamp: requirements.txt pyproject.toml | .venv/bin/python
	$(PIP) install --quiet --require-hashes -r requirements.txt
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	$(BIN)/python -c 'from companion.web.compiled import main; main()'
	$(BIN)/python -c 'from companion.lookup.kept import main; main()'
	@touch $@

.venv/test.stamp: requirements-test.txt .venv/run.stamp
	$(PIP) install --quiet --require-hashes -r requirements-test.txt
	@touch $@

# npm writes this file last. A machine without npm gets one inside .venv.
node_modules/.package-lock.json: package-lock.json package.json .npmrc | .venv/bin/python
	@command -v npm >/dev/null || $(PIP) install --quiet --require-hashes -r requirements-node.txt
	$(NPM) ci --silent
	@touch $@

# What Mozilla's Observatory judges a server by; its package.json leaves out what only its own web site runs on.
$(OBSERVATORY): $(wildcard tests/observatory/*) .npmrc | .venv/bin/python
	@command -v npm >/dev/null || $(PIP) install --quiet --require-hashes -r requirements-node.txt
	@mkdir -p .observatory
	@cp .npmrc tests/observatory/* .observatory/
	$(NPM) ci --silent --prefix .observatory
	@touch $@

# htmx goes last, so that it is there only when all are.
static/vendor/htmx.min.js: node_modules/.package-lock.json
	@mkdir -p $(@D)
	cp node_modules/@fontsource/fraunces/files/fraunces-latin-600-normal.woff2 \
		node_modules/@fontsource/fraunces/files/fraunces-latin-ext-600-normal.woff2 \
		node_modules/htmx.org/dist/ext/hx-sse.min.js node_modules/htmx.org/dist/htmx.min.js $(@D)
