# SPDX-License-Identifier: GPL-2.0-or-later
# A thin front; the build itself is in meson.build.

BUILD ?= build
PREFIX ?= /usr/local
MESON_FLAGS ?=

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@meson setup $(BUILD) $(MESON_FLAGS)

deps:
	@tools/install-deps.sh

# What the tests need beside Waymark itself.
test-programs: $(BUILD)/build.ninja
	@ninja -C $(BUILD) all tests

# TESTS="layers cli/" runs only those whose names contain one of the words.
check: deps
	@$(MAKE) --no-print-directory test-programs
	@tests/run.sh $(BUILD) $(TESTS)

# Those that take long, tests/long: hours, and a TEST_TIMEOUT of their own for each.
check-long: deps
	@$(MAKE) --no-print-directory test-programs
	@TEST_TIMEOUT=$${TEST_TIMEOUT:-14400} tests/run.sh $(BUILD) $(or $(TESTS),long/)

# 20 minutes, and 2; BENCH_FLAGS=--help tells what more there is.
bench: deps
	@$(MAKE) --no-print-directory all
	@bench/run.sh $(BUILD) $(BENCH_FLAGS)

bench-quick: deps
	@$(MAKE) --no-print-directory all
	@bench/run.sh $(BUILD) --quick $(BENCH_FLAGS)

demo:
	@tools/install-deps.sh --build
	@$(MAKE) --no-print-directory all
	@tools/demo.sh $(BUILD)

# The source as a tarball in DIST, with the chart library, so that it builds without network.
DIST ?= $(BUILD)/dist
dist: all
	@mkdir -p $(DIST)
	@meson dist -C $(BUILD) --formats xztar --no-tests --allow-dirty
	@cp $(BUILD)/meson-dist/waymark-*.tar.xz $(DIST)

# The loader finds a new library in /usr/local/lib after ldconfig only.
install: all
	@meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	@meson install -C $(BUILD)
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || PATH="$$PATH:/sbin:/usr/sbin" ldconfig

format:
	@find $(CODE_DIRS) -name "*.[ch]" ! -path "tests/guests/*" ! -path "bench/kernels/*" | \
		xargs clang-format -i

clean:
	rm -rf $(BUILD)

CODE_DIRS = $(wildcard include $(shell tests/layers.sh --folders) tests)

.PHONY: all deps test-programs check check-long bench bench-quick demo dist install format clean
