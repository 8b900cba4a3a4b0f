// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark record: runs a guest program under QEMU and writes its trace.
 *
 * This process becomes QEMU, so its parent sees the guest: same process id, same standard
 * streams, same exit status. Exit status 2 is its own failure, when the guest was not
 * started; then it leaves no file behind. A process in the background, the recorder,
 * writes the file and reports at the end (cli/record/end.c).
 *
 * Order: parse options, find the guest program and its emulator, check what the user
 * named (cli/record/check.c), start the recorder, execute QEMU. Everything that can fail
 * by a user's mistake comes before the guest runs.
 */
#include "base/error.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/find.h"
#include "cli/habits.h"
#include "cli/record/check.h"
#include "cli/record/emulator.h"
#include "cli/record/end.h"
#include "cli/record/events.h"
#include "cli/record/filters.h"
#include "cli/record/guest.h"
#include "cli/record/guides.h"
#include "cli/record/keep.h"
#include "cli/record/lent.h"
#include "cli/record/machine.h"
#include "cli/record/script.h"
#include "cli/record/sysroot.h"
#include "cli/record/values.h"
#include "cli/record/windows.h"
#include "cli/values.h"
#include "collect/budget.h"
#include "collect/record.h"
#include "format/values.h"
#include "out/number.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char doc[] =
	"Run PROGRAM under QEMU and record what it executes."
	"\vThe program's input, output, exit status and signals are its own. "
	"Options end at PROGRAM; what follows belongs to it.";

enum {
	OPTION_QEMU = 256,
	OPTION_QEMU_ARG,
	OPTION_NO_FOLLOW,
	OPTION_PRECISE,
	OPTION_PACK,
	OPTION_NO_PACK,
	OPTION_CODE,
	OPTION_STRICT,
	OPTION_WAIT,
	OPTION_MEMORY
};

#define PACK_BYTES 16000000 /* when --pack has no value */

/* -L and -E have the letters and the meaning of QEMU's own options. */
static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write the trace there (waymark.wmk)", 0 },
	{ "sysroot", 'L', "DIR", 0,
	  "Where the guest's loader, libraries and programs are", 0 },
	{ "env", 'E', "VAR=VALUE", 0, "Set a variable for the guest only", 0 },
	{ "qemu", OPTION_QEMU, "PATH|VERSION", 0, "The emulator (qemu-<arch>)", 0 },
	{ "qemu-arg", OPTION_QEMU_ARG, "ARG", 0, "One more argument for QEMU", 0 },
	{ "no-follow", OPTION_NO_FOLLOW, NULL, 0,
	  "Record the first process only, and not what it becomes by execve()", 0 },
	{ "precise", OPTION_PRECISE, NULL, 0,
	  "Record every instruction by itself: slower, nothing is uncertain", 0 },
	{ "pack", OPTION_PACK, "SIZE", OPTION_ARG_OPTIONAL,
	  "Keep names of code in the trace, SIZE bytes at most (16M)", 0 },
	{ "no-pack", OPTION_NO_PACK, NULL, 0,
	  "Keep no names, lines and inlined calls of the code that ran in the trace", 0 },
	{ "code", OPTION_CODE, "trace|files", 0,
	  "Keep code that ran in the trace, or leave it in the program's files (trace)",
	  0 },
	{ "strict", OPTION_STRICT, NULL, 0, "Exit with 2 when the trace lacks something",
	  0 },
	{ "wait", OPTION_WAIT, "all|first", 0,
	  "Record until all processes have ended, or until the first one has (first)",
	  0 },
	{ "memory", OPTION_MEMORY, "SIZE", 0,
	  "What the threads' sequences may take of memory (1 GiB); 96M at least", 0 },
	{ 0 },
};

/* What the options say. Texts point into argv, which lives until QEMU is executed. */
struct arguments {
	const char *output;
	const char *qemu;
	char **qemu_args;
	unsigned n_qemu_args;
	char **guest_argv; /* part of argv; NULL without a program */
	bool no_follow, precise, strict, wait_all, no_pack, code_in_files;
	uint64_t pack_bytes, memory_bytes;
	struct record_keep keep;
	struct record_windows windows;
	struct record_filters filters;
	struct record_events events;
	struct record_values values;
	struct record_machine machine;
	struct record_guide guide;
	struct record_lent lent;
	uint32_t guided; /* what these want beside the path: enum values_wanted */
};

/*
 * The array has room for two entries for each argument of the command line
 * (cmd_record()).
 */
static void add_qemu_arg(struct arguments *args, const char *arg)
{
	args->qemu_args[args->n_qemu_args++] = (char *)arg;
}

/*
 * Reads a size of at least `least` bytes; `takes` begins the message for any other value.
 */
static void read_size(uint64_t *bytes, const char *arg, uint64_t least, const char *takes,
		      struct argp_state *state)
{
	if (!number_parse_bytes(arg, bytes) || *bytes < least)
		argp_error(state, "%s, not \"%s\"", takes, arg);
}

/*
 * QEMU parts the argument of -E at commas, and prints its whole usage when one of the parts
 * is no variable.
 */
static void check_variables(const char *arg, struct argp_state *state)
{
	for (size_t n; arg; arg = arg[n] ? arg + n + 1 : NULL) {
		n = strcspn(arg, ",");
		if (!memchr(arg, '=', n))
			argp_error(
				state,
				"--env takes VAR=VALUE, and \"%.*s\" has no \"=\"; QEMU "
				"splits the argument at commas: to set a VALUE with a "
				"comma, start waymark with env(1)",
				(int)n, arg);
	}
}

static void add_qemu_option(struct arguments *args, int key, const char *arg,
			    struct argp_state *state)
{
	if (key == 'E')
		check_variables(arg, state);
	add_qemu_arg(args, key == 'L' ? "-L" : "-E");
	add_qemu_arg(args, arg);
}

/* In the order of the children in cmd_record(). */
static void give_inputs(struct argp_state *state, struct arguments *args)
{
	state->child_inputs[0] = &args->windows;
	state->child_inputs[1] = &args->filters;
	state->child_inputs[2] = &args->keep;
	state->child_inputs[3] = &args->events;
	state->child_inputs[4] = &args->values;
	state->child_inputs[5] = &args->machine;
	state->child_inputs[6] = &args->guide;
}

/* The orders of waits[] and codes[] are those of the values of what they set. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const waits[] = { "first", "all", NULL };
	static const char *const codes[] = { "trace", "files", NULL };
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		give_inputs(state, args);
		return 0;
	case 'o':
		args->output = arg;
		return 0;
	case 'L': /* passed on as they are; sysroot_of() and guest_variable() find them */
	case 'E':
		add_qemu_option(args, key, arg, state);
		return 0;
	case OPTION_QEMU:
		args->qemu = arg;
		return 0;
	case OPTION_QEMU_ARG:
		add_qemu_arg(args, arg);
		return 0;
	case OPTION_NO_FOLLOW:
		args->no_follow = true;
		return 0;
	case OPTION_PRECISE:
		args->precise = true;
		return 0;
	case OPTION_PACK:
		args->no_pack = false;
		args->pack_bytes = PACK_BYTES;
		if (arg)
			read_size(&args->pack_bytes, arg, 0,
				  "--pack takes a size such as 500k", state);
		return 0;
	case OPTION_NO_PACK:
		args->no_pack = true;
		args->pack_bytes = 0;
		return 0;
	case OPTION_CODE:
		args->code_in_files = choice_or_end(arg, "code", codes, state);
		return 0;
	case OPTION_STRICT:
		args->strict = true;
		return 0;
	case OPTION_WAIT:
		args->wait_all = choice_or_end(arg, "wait", waits, state);
		return 0;
	case OPTION_MEMORY:
		read_size(&args->memory_bytes, arg, BUDGET_BYTES_LEAST,
			  "--memory takes a size of 96M or more", state);
		return 0;
	case ARGP_KEY_ARG: /* the first word that is no option is PROGRAM */
		args->guest_argv = &state->argv[state->next - 1];
		state->next = state->argc; /* the rest belongs to the guest */
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* A machine's emulator is PROGRAM, and may start with firmware of its own. */
static int find_emulator(struct emulator *emulator, struct arguments *args,
			 struct record_options *run, const char *arch,
			 struct wm_error *err)
{
	if (!find_has_proc())
		return wm_fail(err, WM_E_IO, 0, "/proc is " FIND_NO_PROC);
	emulator->inexact = args->machine.inexact;
	if (!args->machine.on)
		return emulator_find(emulator, arch, args->qemu, err);
	if (emulator_find_system(emulator, *args->guest_argv, err))
		return err->code;
	record_machine_add_bios(&args->machine, emulator->path, args->guest_argv);
	run->kernels = args->machine.kernels;
	return record_machine_check(&args->machine, run, emulator, arch, err);
}

/*
 * Of a whole run, what an interpreter fetches may be left out where it follows from the path. What
 * begins in the middle would not know where.
 */
static uint32_t values_of(const struct arguments *args, const struct steering *steering)
{
	uint32_t values = record_values_wanted(&args->values) | args->guided;
	bool is_part = args->keep.last_text || steering->n_windows ||
		       steering->n_landmarks || steering->program_only;

	return values == (VALUES_LOADS | VALUES_SITES) && !is_part ?
		       values | VALUES_STEPS :
		       values;
}

/*
 * Finds the emulator and executes it with the guest `program`, which is for `arch`, or
 * with the machine. Returns only on failure: otherwise this process becomes QEMU.
 */
static int record(struct arguments *args, const char *program, const char *arch,
		  const struct steering *steering)
{
	static struct emulator emulator;
	struct record_end end = {
		.output = args->output,
		.program = args->machine.on ? NULL : program,
		.keep = &args->keep,
		.steering = steering,
		.strict = args->strict,
	};
	struct record_options run = {
		.output = args->output,
		.qemu = emulator.path,
		.plugin = emulator.plugin,
		.qemu_version = emulator.version,
		.qemu_args = args->qemu_args,
		.guest_argv = args->guest_argv,
		.lends = (const char *)args->lent.text.data,
		.machine = args->machine.on,
		.kernels = args->machine.kernels,
		.files = { args->machine.root, args->machine.disk, args->machine.initrd },
		.layout = &args->machine.layout,
		.unfollowed = args->machine.unfollowed,
		.follow = !args->no_follow,
		.precise = args->precise,
		.values = values_of(args, steering),
		.wait_all = args->wait_all,
		.judges = record_end_judges(&end),
		.pack_bytes = args->pack_bytes,
		.no_pack = args->no_pack,
		.code_in_files = args->code_in_files,
		.memory_bytes = args->memory_bytes,
		.last = args->keep.last,
		.last_text = args->keep.last_text,
		.keep = args->keep.rules,
		.steering = steering,
		.events = &args->events.options,
		.reports = record_end_reports(&end),
	};
	struct wm_error err;

	/* All of them fail before the guest has run. */
	if (!find_emulator(&emulator, args, &run, arch, &err) &&
	    !record_events_check(&args->events, emulator.path, args->qemu_args, &err) &&
	    !record_values_check(&args->values, steering, arch, emulator.version, &err)) {
		if (record_values_need_steps(&args->values, emulator.version))
			add_qemu_arg(args, "-singlestep");
		record_run(&run, &err);
	}
	return fail("%s", err.text);
}

/*
 * Programs that the guest begins get their guides, too. What the user wants recorded beside the path
 * is of all processes: among that only the first program's guide finds its fetches.
 */
static void lend_guides(struct arguments *args, const struct guest *guest)
{
	const struct record_guide *guide = &args->guide;

	if (args->no_follow || guide->off || strcmp(guest->arch, "riscv64") != 0)
		return;
	args->lent = (struct record_lent){
		.guide = guide,
		.program = guest->path,
		.others = !guide->asked && !record_values_wanted(&args->values),
	};
	record_lent_find(&args->lent, args->qemu_args);
	if (args->lent.others)
		args->guided |= args->lent.values;
}

/* The guide for the guest, if there is to be one: what it wants, and its arguments. */
static int use_guide(struct arguments *args, const struct guest *guest,
		     struct steering *steering, struct wm_error *err)
{
	struct record_guide *guide = &args->guide;
	uint32_t values = record_values_wanted(&args->values);
	int ret = record_guide_find(guide, guest->path, guest->arch, args->qemu_args,
				    values, err);

	if (ret)
		return ret;
	lend_guides(args, guest);
	if (!guide->name)
		return 0;
	steering->guide = guide->name;
	steering->guide_fetches = record_guide_values(guide);
	args->guided |= record_guide_values(guide);
	/* With --mem all loads are recorded: notes in the file say which of them are fetches. */
	if (values & VALUES_ALL)
		args->guided &= ~(uint32_t)VALUES_SITES;
	for (unsigned i = 0; i < guide->n_variables; i++) {
		add_qemu_arg(args, "-E");
		add_qemu_arg(args, guide->variables[i]);
	}
	args->guest_argv = record_guide_argv(guide, args->guest_argv);
	return args->guest_argv ? 0 : wm_fail_nomem(err, "a guide");
}

/* Whoever has run a guest by hand so far may write QEMU's name before it, as there. */
static void remark_emulator(const struct guest *guest)
{
	const char *slash = strrchr(guest->name, '/');
	const char *name = slash ? slash + 1 : guest->name;

	if (strncmp(name, "qemu-", 5) != 0)
		return;
	if (!strncmp(name, "qemu-system-", 12))
		remark("%.60s itself is recorded, as a program; for the machine that it "
		       "emulates, give --system",
		       name);
	for (unsigned i = 0; guest_arch(i); i++)
		if (!strcmp(name + 5, guest_arch(i)))
			remark("%.60s itself is recorded; for the program that it runs, "
			       "leave its name out: waymark finds the emulator (--qemu)",
			       name);
}

static int find_guest(struct arguments *args, struct guest *guest, struct wm_error *err)
{
	const char *sysroot = sysroot_of(args->qemu_args);
	int ret = guest_find(guest, args->guest_argv[0], sysroot, err);

	return ret && guest->is_script ?
		       script_interpret(guest, &args->guest_argv, sysroot, err) :
		       ret;
}

/* A sysroot that lacks the program is likely to be of another machine. */
static void remark_host(const struct guest *guest, const char *name, const char *sysroot)
{
	if (sysroot && guest->in_path && guest_is_of_host(guest))
		remark("%.60s is not in %.200s: this machine's own is recorded, %.200s",
		       name, sysroot, guest->path);
}

/* The trace would take the program's name, and the next run would find a trace there. */
static int check_output(const char *output, const struct guest *guest,
			struct wm_error *err)
{
	struct stat program, there;

	if (stat(guest->path, &program) || stat(output, &there) ||
	    program.st_dev != there.st_dev || program.st_ino != there.st_ino)
		return WM_OK;
	return wm_fail(err, WM_E_OUTPUT, 0,
		       "%s is the program itself; -o names the trace to write", output);
}

/*
 * Finds the guest program, and resolves what part of its run to record. Everything that
 * fails here fails before the guest runs.
 */
static int prepare(struct arguments *args)
{
	static struct guest guest;
	struct steering steering = { .n_windows = 0 };
	struct foresight foresight = { .files = NULL };
	struct wm_error err;
	int ret;

	if (find_guest(args, &guest, &err) || check_output(args->output, &guest, &err))
		return fail("%s", err.text);
	remark_emulator(&guest);
	remark_host(&guest, args->guest_argv[0], sysroot_of(args->qemu_args));
	args->guest_argv[0] = guest.path;
	/* QEMU opens the path, and -0 sets the guest's argv[0] to the name. */
	if (strcmp(guest.name, guest.path) != 0) {
		add_qemu_arg(args, "-0");
		add_qemu_arg(args, guest.name);
	}
	ret = use_guide(args, &guest, &steering, &err);
	if (!ret)
		ret = record_windows_apply(&args->windows, guest.arch, &steering, &err);
	if (!ret)
		ret = record_filters_apply(&args->filters, &steering, &err);
	if (!ret)
		ret = record_values_apply(&args->values, guest.arch, &steering, &err);
	if (!ret)
		ret = record_values_check_program(&steering, guest.arch, &err);
	if (!ret)
		ret = record_check(&steering, &foresight, guest.path, args->qemu_args,
				   &err);
	/* record() returns only on failure. */
	ret = ret ? fail("%s", err.text) :
		    record(args, guest.path, guest.arch, &steering);
	foresight_fini(&foresight);
	free(steering.landmarks);
	return ret;
}

/* QEMU's name of the machine that PROGRAM emulates, as in qemu-system-riscv64. */
static const char *machine_isa(const char *program)
{
	const char *slash = strrchr(program, '/');
	const char *name = slash ? slash + 1 : program;
	static const char system[] = "qemu-system-";

	return strncmp(name, system, strlen(system)) ? "riscv64" : name + strlen(system);
}

/* The same for a whole machine, whose guest is whatever QEMU's options say. */
static int prepare_machine(struct arguments *args)
{
	struct steering steering = { .n_windows = 0 };
	struct foresight foresight = { .files = NULL };
	const char *isa = machine_isa(args->guest_argv[0]);
	struct wm_error err;
	int ret;

	if (args->qemu)
		return fail("--system takes the emulator as PROGRAM, not by --qemu");
	if (args->guide.asked && !args->guide.off)
		return fail(
			"of a whole machine not recorded: bytecodes (--guide %.40s), whose "
			"program must be recorded by itself",
			args->guide.asked);
	ret = record_machine_take_root(&args->machine, args->qemu_args,
				       &args->n_qemu_args, args->guest_argv, &err);
	if (!ret)
		ret = record_machine_learn(&args->machine, &err);
	if (!ret)
		ret = record_windows_apply(&args->windows, isa, &steering, &err);
	if (!ret)
		ret = record_filters_apply(&args->filters, &steering, &err);
	if (!ret)
		ret = record_values_apply(&args->values, isa, &steering, &err);
	if (!ret)
		ret = record_check_machine(&steering, &foresight, args->machine.kernels,
					   record_machine_follows(&args->machine), &err);
	ret = ret ? fail("%s", err.text) :
		    record(args, args->guest_argv[0], isa, &steering);
	foresight_fini(&foresight);
	free(steering.landmarks);
	return ret;
}

int cmd_record(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ &record_windows_argp, 0, NULL, 0 },
		{ &record_filters_argp, 0, NULL, 0 },
		{ &record_keep_argp, 0, NULL, 0 },
		{ &record_events_argp, 0, NULL, 0 },
		{ &record_values_argp, 0, NULL, 0 },
		{ &record_machine_argp, 0, NULL, 0 },
		{ &record_guide_argp, 0, NULL, 0 },
		{ 0 }
	};
	static const struct argp argp = {
		options, parse, "[--] PROGRAM [ARGUMENT...]", doc, children, NULL, NULL,
	};
	struct arguments args = { .output = "waymark.wmk" };
	int ret;

	/*
	 * Each of our arguments becomes at most two of QEMU's; one may be our own, and two of
	 * each variable a guide's.
	 */
	args.qemu_args = calloc(2 * (size_t)argc + 2 + 2 * (GUIDE_VARIABLES_MAX + 1),
				sizeof(char *));
	if (!args.qemu_args)
		return fail("out of memory");
	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &args);
	/* --help and wrong options have ended the process already. */
	if (!args.guest_argv)
		ret = fail("no program to record; see waymark record --help");
	else if (!*args.output)
		ret = fail("the output file's name is empty");
	else if (args.machine.n_kernels && !args.machine.on)
		ret = fail("--kernel is for --system");
	else if (args.machine.inexact && !args.machine.on)
		ret = fail("--inexact is for --system");
	else
		ret = args.machine.on ? prepare_machine(&args) : prepare(&args);
	/* Only after a failure: otherwise this process has become QEMU. */
	record_windows_fini(&args.windows);
	record_filters_fini(&args.filters);
	record_events_fini(&args.events);
	record_values_fini(&args.values);
	record_machine_fini(&args.machine);
	buf_fini(&args.lent.text);
	record_guide_fini(&args.guide);
	free(args.qemu_args);
	return ret;
}
