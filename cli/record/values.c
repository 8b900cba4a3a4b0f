// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options for values beside the path. Where QEMU shows registers depends on its version:
 * from 9.2 on by its plugin API, anywhere in a block; 7.2 at the start of blocks only, in
 * its CPU state, whose layout is known for RISC-V. So with 7.2 a commit log needs blocks
 * of one instruction each, which its option -singlestep makes. Versions between have
 * another layout.
 */
#include "cli/record/values.h"

#include <string.h>

#include "base/error.h"
#include "cli/values.h"
#include "format/values.h"

/* No key is a letter: these options have no short form. */
enum {
	OPTION_MEM = 256 + 80,
	OPTION_MEM_VALUES,
	OPTION_COMMITS,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Values beside the path:", 4 },
	{ "mem", OPTION_MEM, "loads|stores|all", OPTION_ARG_OPTIONAL,
	  "Record the addresses of accesses to memory, too (all)", 0 },
	{ "mem-values", OPTION_MEM_VALUES, NULL, 0,
	  "The same, and the data that they read and write", 0 },
	{ "commits", OPTION_COMMITS, NULL, 0,
	  "Record every register and memory write: for a --window, it is slow", 0 },
	{ 0 },
};

static uint32_t choose_accesses(const char *arg, struct argp_state *state)
{
	static const char *const choices[] = { "loads", "stores", "all", NULL };
	static const uint32_t accesses[] = { VALUES_LOADS, VALUES_STORES, VALUES_ALL };

	return accesses[choice_or_end(arg ? arg : "all", "mem", choices, state)];
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_values *values = state->input;

	switch (key) {
	case OPTION_MEM:
		values->accesses = choose_accesses(arg, state);
		return 0;
	case OPTION_MEM_VALUES:
		values->data = true;
		return 0;
	case OPTION_COMMITS:
		values->commits = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp record_values_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

uint32_t record_values_wanted(const struct record_values *values)
{
	if (values->commits)
		return VALUES_ALL | VALUES_DATA | VALUES_WRITTEN;
	/* The data of all accesses, unless --mem names some. */
	if (values->data)
		return (values->accesses ? values->accesses : VALUES_ALL) | VALUES_DATA;
	return values->accesses;
}

/* ---- which QEMU can ------------------------------------------------------ */

static bool is_riscv(const char *isa)
{
	return !strncmp(isa, "riscv", 5);
}

/* By QEMU's CPU state, at the start of blocks. */
static bool is_by_state(const char *version)
{
	return !strncmp(version, "7.2.", 4);
}

/* Neither by the state nor by the API. */
static bool is_between(const char *version)
{
	return !strncmp(version, "8.", 2);
}

int record_values_check(const struct record_values *values, const char *isa,
			const char *version, struct wm_error *err)
{
	if (!values->commits)
		return 0;
	if (!is_riscv(isa))
		return wm_fail(err, WM_E_RANGE, 0,
			       "--commits knows which registers instructions write on "
			       "RISC-V only, not on %s",
			       isa);
	if (is_between(version))
		return wm_fail(err, WM_E_RANGE, 0,
			       "QEMU %s does not show registers to plugins: --commits "
			       "needs 7.2, or 9.2 and newer, which `waymark setup-qemu` "
			       "installs",
			       version);
	return 0;
}

bool record_values_need_steps(const struct record_values *values, const char *version)
{
	return values->commits && is_by_state(version);
}
