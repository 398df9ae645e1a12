# SPDX-License-Identifier: GPL-2.0
#
# The targets for users and developers: "make help" lists them. Kbuild builds the
# module, user.mk the tool.

KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
DESTDIR ?=
# Seed and part of the unit tests that "test" and "check-quick" run.
SEED ?= 1
PART ?= 16
QUICK_PART ?= 64
FUZZ_SECONDS ?= 60
RANDOM_COUNT ?= 40

# One target at a time: their output would mix.
.NOTPARALLEL:

.PHONY: all
all: module tool ## build probe_phys.ko (with kernel headers) and build/probe-phys

.PHONY: module
module: ## build probe_phys.ko for the running kernel, or KDIR=...
	@if [ -e "$(KDIR)/Makefile" ]; then \
		$(MAKE) --no-print-directory -C $(KDIR) M=$(CURDIR) modules; \
	else \
		echo "probe-phys: no probe_phys.ko: no kernel headers in $(KDIR) (install linux-headers-$(shell uname -r), or give KDIR=)"; \
	fi

.PHONY: tool
tool: ## build build/probe-phys
	@$(MAKE) -s -f user.mk

.PHONY: run
run: ## install what is missing, build, load the module if possible, measure (as root)
	@scripts/deps.sh tool
	@$(MAKE) --no-print-directory all
	@scripts/load.sh || true
	@build/probe-phys $(ARGS)

.PHONY: test
test: ## one suite of the unit tests or a folder: T=evset/classes [SEED=1 PART=16]
	@$(MAKE) -s -j "$$(nproc)" -f user.mk CC=gcc build/gcc/unit-tests
	@PROBE_PHYS_SEED=$(SEED) PROBE_PHYS_PART=$(PART) V=1 \
		tests/unit/run.sh build/gcc $(T)

.PHONY: check-quick
check-quick: ## all suites of the unit tests, small parts, under a minute [SEED=1]
	@$(MAKE) -s -j "$$(nproc)" -f user.mk CC=gcc build/gcc/unit-tests
	@PROBE_PHYS_SEED=$(SEED) PROBE_PHYS_PART=$(QUICK_PART) \
		tests/unit/run.sh build/gcc

.PHONY: check
check: ## install what is missing and run everything that CI runs (as root)
	@scripts/deps.sh check
	@scripts/check.sh

.PHONY: check-unit
check-unit: ## unit tests: gcc, clang, and with ASan and UBSan
	@$(MAKE) --no-print-directory -f user.mk check CC=gcc
	@$(MAKE) --no-print-directory -f user.mk check CC=clang
	@$(MAKE) --no-print-directory -f user.mk check CC=gcc SANITIZE=1

.PHONY: check-tool
check-tool: tool ## the built tool on this computer: options, errors, JSON, bad profiles
	@tests/tool/run.sh; rc=$$?; tests/tool/profiles.sh && exit $$rc

.PHONY: check-silicon
check-silicon: tool ## answers on this computer against CPUID and published latencies, SILICON_RUNS=20
	@tests/silicon/test_score.py; rc=$$?; tests/silicon/run.py && exit $$rc

.PHONY: check-policy
check-policy: tool ## "policy", "query" and "verify" on simulated machines
	@tests/tool/policy.sh

.PHONY: check-compare
check-compare: tool ## "compare" and "effective" on simulated machines
	@tests/tool/compare.sh

.PHONY: check-without
check-without: ## the tool as it is built without the optional libraries
	@tests/tool/without.sh

.PHONY: check-sim
check-sim: tool ## the built tool on every simulated machine of tests/machines
	@tests/sim/run.sh; status=$$?; tests/sim/tables.sh && exit $$status

.PHONY: check-tuning
check-tuning: tool ## constants tuned for speed, halved and doubled: the same answers
	@tests/sim/tuning.sh

.PHONY: check-random
check-random: tool ## the built tool on random machines, RANDOM_COUNT=40
	@RANDOM_COUNT=$(RANDOM_COUNT) tests/sim/random.sh

.PHONY: fuzz
fuzz: ## profiles, the model and curves' analysis on changed inputs, FUZZ_SECONDS=60
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run.sh

.PHONY: check-vm
check-vm: tool ## the module and the tool in booted 6.1 and 6.12 kernels, the module on arm64 too
	@scripts/kernels.sh 6.1-amd64 6.12-amd64 6.1-arm64 6.12-arm64
	@tests/vm/run.sh

.PHONY: check-lab
check-lab: tool ## the virtual lab: known machines, emulated, measured by module and tool
	@tests/lab/run.sh

.PHONY: check-docs
check-docs: tool ## documents: words, links, tables, and examples that run
	@tests/docs/run.sh

.PHONY: check-full
check-full: ## hours: everything, many seeds; prints a summary
	@scripts/deps.sh check
	@scripts/check.sh --full

.PHONY: bench
bench: ## benchmarks, as ratios within one run
	@$(MAKE) --no-print-directory -f user.mk bench

.PHONY: lint
lint: lint-kernel lint-user lint-tidy ## the three that follow

.PHONY: lint-kernel
lint-kernel: ## checkpatch, sparse, W=1 on all kernels, kernel-doc
	@scripts/lint-kernel.sh

.PHONY: lint-user
lint-user: ## clang-format, cppcheck, shellcheck, error bounds, imports, sizes
	@scripts/lint-user.sh

.PHONY: lint-tidy
lint-tidy: compile_commands.json ## clang-tidy on what has changed, or on FILES="a.c b.c"
	@scripts/lint-tidy.sh $(FILES)

.PHONY: hooks
hooks: ## let git look at layout, imports and subjects before it commits
	@scripts/hooks.sh

.PHONY: compile_commands.json
compile_commands.json: ## how each C file is compiled, for editors and clang-tidy
	@$(MAKE) -nB --no-print-directory -f user.mk CC=gcc build/probe-phys \
		build/gcc/unit-tests build/gcc/bench | \
		sed -e ':a' -e '/\\$$/N; s/\\\n\t*//; ta' | \
		jq -nR --arg directory "$(CURDIR)" '[inputs | select(test(" -c -o ")) | {directory: $$directory, file: split(" ")[-1], command: .}]' >$@

.PHONY: load
load: ## insmod probe_phys.ko
	@scripts/load.sh

.PHONY: unload
unload: ## rmmod probe_phys
	@rmmod probe_phys

.PHONY: install
install: ## install the tool, its man page and completion, and the module when built
	@$(MAKE) --no-print-directory -f user.mk install \
		PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	@if [ -e probe_phys.ko ]; then \
		$(MAKE) --no-print-directory -C $(KDIR) M=$(CURDIR) \
			INSTALL_MOD_PATH=$(DESTDIR) modules_install; \
	fi

.PHONY: uninstall
uninstall: ## remove what install has put there
	@$(MAKE) --no-print-directory -f user.mk uninstall \
		PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	@rm -f $(DESTDIR)/lib/modules/*/updates/probe_phys.ko \
		$(DESTDIR)/lib/modules/*/extra/probe_phys.ko

.PHONY: clean
clean: ## remove everything that was built (fetched kernels too)
	@rm -rf build
	@rm -f *.ko *.mod *.mod.c *.o .*.cmd Module.symvers modules.order
	@find kmod \( -name '*.o' -o -name '.*.cmd' -o -name '.*.o.d' \) -delete

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z_.-]*\):.*## /\1\t/p' Makefile | \
		awk -F'\t' '{ printf "make %-21s %s\n", $$1, $$2 }'
