# SPDX-License-Identifier: GPL-2.0
#
# The tool and its unit tests. Called by the Makefile; each compiler and mode has a
# folder of objects of its own.

CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
# A build without an optional library shares most objects with the one that has it.
COMMON := build/$(notdir $(firstword $(CC)))$(if $(SANITIZE),-sanitize)$(if $(FUZZ),-fuzz)
OUT := $(COMMON)$(if $(WITHOUT_LIBPFM4),-without-libpfm4)$(if $(WITHOUT_CAIRO),-without-cairo)$(if \
	$(TUNED),-tuned-$(TUNED)$(subst /,-,$(TUNED_IN:%=-%)))
VERSION := 0.1.0

ifneq ($(MAKECMDGOALS),uninstall)
missing := $(shell for p in libnl-3.0 libnl-genl-3.0 jansson; do \
	pkg-config --exists $$p || echo $$p; done)
ifneq ($(missing),)
$(error probe-phys: cannot build the tool: pkg-config does not find $(missing) (scripts/deps.sh tool installs them))
endif
endif

# Optional: names of events. Debian's package has no file for pkg-config, so that a
# trial compilation decides. WITHOUT_LIBPFM4=1 builds without the library.
LIBPFM4 := $(if $(WITHOUT_LIBPFM4),,$(shell \
	echo 'int main(void) { return pfm_initialize(); }' | \
	$(CC) -include perfmon/pfmlib_perf_event.h -xc - -o /dev/null -lpfm \
		2>/dev/null && echo yes))

# Optional: pictures. WITHOUT_CAIRO=1 builds without the library.
CAIRO := $(if $(WITHOUT_CAIRO),,$(shell pkg-config --exists \
	cairo cairo-svg cairo-png cairo-pdf && echo cairo))

PACKAGES := libnl-3.0 libnl-genl-3.0 jansson $(CAIRO)
CPPFLAGS += -D_GNU_SOURCE -DPROBE_PHYS_VERSION='"$(VERSION)"' \
	-Iinclude/uapi -Iuser/lib \
	$(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(PACKAGES)))
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Werror
LIBS := $(shell pkg-config --libs $(PACKAGES)) $(if $(LIBPFM4),-lpfm) -lm -pthread
ifneq ($(SANITIZE),)
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
# gcc only: checks the bounds of an array at the end of a struct, too.
ifneq ($(findstring gcc,$(notdir $(firstword $(CC)))),)
SANITIZERS += -fsanitize=bounds-strict
endif
endif
# clang only: reports to libFuzzer which branches an input takes.
ifneq ($(FUZZ),)
SANITIZERS := -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=all -fno-omit-frame-pointer
endif

ALL_CFLAGS := -std=gnu11 $(CFLAGS) $(WARNINGS) $(SANITIZERS)

# The files that know whether an optional library is there.
optional := user/lib/machine/module/event_library.c \
	user/lib/report/picture/paint.c
# TUNED=half or double: the files with constants that this scales (base/tuned.h), all
# or those of the folder TUNED_IN=method/tlb.
tuned := $(if $(TUNED),$(shell grep -rl --include='*.c' '/tuning\.h"' \
	user/lib/$(TUNED_IN)))
object = $(if $(filter $(optional) $(tuned),$(1)),$(OUT),$(COMMON))/$(1:.c=.o)
objects_of = $(foreach c,$(sort $(shell find $(1) -name '*.c')),$(call object,$(c)))
commands := $(COMMON)/user/main.o $(call objects_of,user/cmd)
parts := $(call objects_of,user/lib)
library := $(OUT)/libprobe.a
# The code that the fuzzers call, with all that it calls.
fuzzed_parts := $(call objects_of,user/lib/base user/lib/model \
	user/lib/observe user/lib/method/curve)
fuzzed_library := $(OUT)/libfuzzed.a
tests := $(call objects_of,tests/unit)
bench := $(call objects_of,tests/bench)
fuzzed := profile curve
fuzzers := $(fuzzed:%=$(OUT)/fuzz-%)
replays := $(fuzzed:%=$(OUT)/replay-%)
fuzz := $(fuzzed:%=$(COMMON)/tests/fuzz/fuzz_%.o)
fuzz_libfuzzer := $(COMMON)/tests/fuzz/mutate.o
fuzz_replay := $(COMMON)/tests/fuzz/replay.o

build/probe-phys: $(OUT)/probe-phys
	@cp $< $@

$(OUT)/probe-phys: $(commands) $(library)
	@echo "  LD      $@"
	@$(CC) $(SANITIZERS) $(LDFLAGS) -o $@ $^ $(LIBS)

# Made anew each time: a source file may have been removed.
$(library): $(parts)
$(fuzzed_library): $(fuzzed_parts)
$(library) $(fuzzed_library):
	@echo "  AR      $@"
	@mkdir -p $(@D)
	@rm -f $@
	@$(AR) qcs $@ $^

define compile =
	@mkdir -p $(@D)
	@echo "  CC      $@"
	@$(CC) $(CPPFLAGS) $(if $(findstring tests/,$<),-Itests/unit) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
endef

$(COMMON)/%.o: %.c user.mk
	$(compile)

ifneq ($(OUT),$(COMMON))
$(OUT)/%.o: %.c user.mk
	$(compile)
endif

$(optional:%.c=$(OUT)/%.o): CPPFLAGS += $(if $(LIBPFM4),-DHAVE_LIBPFM4) \
	$(if $(CAIRO),-DHAVE_CAIRO)

ifneq ($(TUNED),)
$(tuned:%.c=$(OUT)/%.o): CPPFLAGS += -DTUNED_$(if $(filter half,$(TUNED)),HALF,DOUBLE)
endif

# These measure code that an optimising compiler generates; other flags would change
# the answer.
chains := $(filter-out %/registers.o,$(call \
	objects_of,user/lib/machine/native/registers))
$(chains): ALL_CFLAGS := -std=gnu11 -O2 -g -fomit-frame-pointer \
	-fno-stack-protector $(WARNINGS)

$(OUT)/unit-tests: $(tests) $(library)
	@$(CC) $(SANITIZERS) $(LDFLAGS) -o $@ $^ $(LIBS) \
		$(shell pkg-config --libs check)

$(OUT)/bench: $(bench) $(library)
	@$(CC) $(SANITIZERS) $(LDFLAGS) -o $@ $^ $(LIBS)

# Profiles have a mutator that knows their grammar; a curve is any bytes.
$(OUT)/fuzz-profile: $(fuzz_libfuzzer)
$(fuzzers): $(OUT)/fuzz-%: $(COMMON)/tests/fuzz/fuzz_%.o $(fuzzed_library)
	@$(CC) $(SANITIZERS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LIBS)

$(replays): $(OUT)/replay-%: $(COMMON)/tests/fuzz/fuzz_%.o $(fuzz_replay) \
		$(fuzzed_library)
	@$(CC) $(SANITIZERS) $(LDFLAGS) -o $@ $^ $(LIBS)

# FUZZ=1 CC=clang: the fuzzers; SANITIZE=1: replays kept inputs, any compiler.
.PHONY: fuzz fuzz-replay
fuzz: $(fuzzers)
fuzz-replay: $(replays)

.PHONY: check bench install uninstall
# T: suites or folders (all), see tests/unit/run.sh.
check: $(OUT)/unit-tests
	@echo "unit tests, $(notdir $(OUT))"
	@tests/unit/run.sh $(OUT) $(T)

bench: $(OUT)/bench
	@$(OUT)/bench

install: build/probe-phys
	install -D -m 755 $< $(DESTDIR)$(PREFIX)/sbin/probe-phys
	install -D -m 644 user/probe-phys.8 \
		$(DESTDIR)$(PREFIX)/share/man/man8/probe-phys.8
	install -D -m 644 user/completion/probe-phys.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/probe-phys

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/sbin/probe-phys \
		$(DESTDIR)$(PREFIX)/share/man/man8/probe-phys.8 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/probe-phys

-include $(commands:.o=.d) $(parts:.o=.d) $(tests:.o=.d) $(bench:.o=.d) \
	$(fuzz:.o=.d) $(fuzz_libfuzzer:.o=.d) $(fuzz_replay:.o=.d)
