# make demo   set up .venv and build the bundled example: HTML and PDF
# make test   the same set-up with the development tools, then lint, types and the tests of each part
# make whole  the tests of whole reports: evaluated, drawn, published, simulated
# make lock   pin every dependency again, and list them in sbom.cdx.json (needs the network)
# make licences list the licences of the pinned libraries
# make audit  compare the pinned libraries with published vulnerabilities (needs the network)
# make hooks  run the quick checks before each commit
# make clusters count on Dask and Spark (Java 17), in an environment of its own
# make servers copy builds to real servers and read from them, in an environment of its own
# make layout check the pages of every example and of many shapes of data, on A4 and Letter
# make hold   the full form of the checks with hostile input
# make levels measure how often every test rejects where nothing differs: docs/levels.md
# make coverage simulate how often intervals hold the true value
# make bench  measure speed and memory beside other libraries
# make docs   build the documentation site: build/docs/html (needs pdftoppm)
# make news   show the changes since the last release

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet
INSTALL := $(PIP) install --no-compile --require-hashes --requirement
TESTS := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist loadfile
# pip would compile the tests of libraries too: a fifth of its time.
COMPILE := $(BIN)/python -m compileall -qq -j 0 -x '/(tests?|templates)/' $(VENV)/lib
LOCK := $(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
	--fork-strategy fewest --generate-hashes --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

.PHONY: demo docs test whole lint slow layout hold levels coverage clusters servers hooks news lock licences audit schemas bench pango picture clean
.DELETE_ON_ERROR:

demo: $(VENV)/.project pango
	$(BIN)/reportgen demo --out reports

# What is compiled is kept, templates too: else each process compiles them again. pytest compiles tests.
test: lint
	$(BIN)/python -m compileall -q -j 0 -x '/test_' reportgen tests
	$(TESTS) --ignore tests/whole --ignore tests/hostile

whole: $(VENV)/.developer pango  ## tests that evaluate, draw or publish whole reports
	$(TESTS) tests/whole tests/hostile

lint: $(VENV)/.developer pango
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers 2 || $(BIN)/mypy  # a loaded machine may start the workers too late
	$(BIN)/lint-imports

slow: $(VENV)/.developer pango  ## every test, those too that take long: all cases, large inputs, many kills
	$(BIN)/python -m pytest -n 2 -m 'slow or not slow'

layout: $(VENV)/.developer pango  ## pages of the PDFs of every example and of many shapes of data
	$(BIN)/python -m pytest -n 2 -m 'slow or not slow' tests/whole/test_layout_shapes.py

hold: $(VENV)/.developer pango  ## hostile input in its full form: tests/hostile
	$(BIN)/python -m pytest -n 2 -m 'slow or not slow' tests/hostile

levels: $(VENV)/.developer  ## how often every test rejects where nothing differs
	$(BIN)/python -m tests.simulations
	$(BIN)/python -m tests.simulations.whole_reports 20

clusters: $(VENV)/.made  ## count on Dask and Spark, which wants Java 17; not locked, so not part of make test
	$(PYTHON) -m venv $(VENV)/clusters
	$(VENV)/clusters/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes \
		--requirement requirements-dev.lock
	$(VENV)/clusters/bin/python -m pip --disable-pip-version-check --quiet install --editable '.[dask,spark]'
	$(VENV)/clusters/bin/python -m pytest -m 'slow or not slow' \
		tests/whole/test_engines_dask.py tests/test_engines_spark.py

servers: $(VENV)/.made  ## real servers: MLflow, S3, PostgreSQL (initdb on the path); not locked, so not part of make test
	$(PYTHON) -m venv $(VENV)/servers
	$(VENV)/servers/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes \
		--requirement requirements-dev.lock
	$(VENV)/servers/bin/python -m pip --disable-pip-version-check --quiet install \
		--no-build-isolation --editable '.[apprise,delta,duckdb,mlflow,objects,postgresql]' mlflow 'moto[server]'
	$(VENV)/servers/bin/python -m pytest -m 'slow or not slow' tests/test_tracking.py tests/test_sources.py tests/test_notices_served.py

hooks: $(VENV)/.developer
	$(BIN)/pre-commit install

news: $(VENV)/.developer
	@$(BIN)/towncrier build --draft --version next 2>/dev/null

lock: $(VENV)/.made
	$(PIP) install uv
	$(LOCK) --group build --output-file requirements.lock
	$(LOCK) --group dev --constraints requirements.lock --output-file requirements-dev.lock
	$(LOCK) --group docs --constraints requirements.lock --output-file requirements-docs.lock
	$(PYTHON) -m venv $(VENV)/sbom
	$(VENV)/sbom/bin/python -m pip --disable-pip-version-check --quiet install cyclonedx-bom
	sed -n 's/^\([A-Za-z0-9._-]*==[^ ;]*\).*/\1/p' requirements.lock | $(VENV)/sbom/bin/cyclonedx-py \
		requirements - --pyproject pyproject.toml --mc-type library --short-PURLs --output-reproducible \
		--output-file sbom.cdx.json

licences: $(VENV)/.project  ## the licences of the libraries: docs/licences.md
	$(BIN)/python tools/licences.py

audit: $(VENV)/.made  ## needs pypi.org itself, as mirrors have no vulnerabilities; --strict fails where it is not there
	$(PYTHON) -m venv $(VENV)/audit
	$(VENV)/audit/bin/python -m pip --disable-pip-version-check --quiet install pip-audit
	$(VENV)/audit/bin/pip-audit --strict --require-hashes --disable-pip --requirement requirements.lock

schemas: $(VENV)/.developer  ## the contracts and the reference page, generated from the code
	$(BIN)/python tools/schemas.py

coverage: $(VENV)/.developer  ## how often each interval holds the true value: docs/coverage.md
	$(BIN)/python -m tests.coverage

bench: $(VENV)/.made  ## measure beside other libraries, in an environment of its own
	$(PYTHON) -m venv $(VENV)/bench
	$(VENV)/bench/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes \
		--requirement requirements.lock
	$(VENV)/bench/bin/python -m pip --disable-pip-version-check --quiet install \
		--requirement tests/benchmarks/requirements.txt
	$(VENV)/bench/bin/python -m tests.benchmarks.run $(ROWS)

docs: $(VENV)/.developer pango  ## the documentation site, offline, with every link checked
	$(PYTHON) -m venv --clear $(VENV)/docs
	$(VENV)/docs/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes \
		--requirement requirements.lock --requirement requirements-docs.lock
	PYTHONPATH=$(CURDIR) $(VENV)/docs/bin/python tools/documentation.py

picture: $(VENV)/.developer pango  ## the page that the README shows
	$(BIN)/python tools/picture.py

pango: $(VENV)/.made
	@$(BIN)/python tools/pango.py

clean:
	rm -rf $(VENV) build dist reports .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Stamps: each step runs again only when what it depends on has changed.

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@$(PYTHON) -c 'import ensurepip' || \
		{ echo "the venv module is incomplete: install the package python3-venv"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.locked: requirements.lock | $(VENV)/.made
	$(INSTALL) requirements.lock
	$(COMPILE)
	@touch $@

$(VENV)/.project: pyproject.toml $(VENV)/.locked
	$(PIP) install --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q reportgen
	@touch $@

$(VENV)/.developer: requirements-dev.lock $(VENV)/.project
	$(INSTALL) requirements-dev.lock
	$(COMPILE)
	@touch $@
