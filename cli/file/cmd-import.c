// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark import: makes a trace of what another tool recorded, so that all commands can
 * answer about it.
 *
 * The record is read to its end before the trace is opened, so a file in another format
 * leaves no trace behind. The trace gets its name when it is complete.
 *
 * Example: `import spike run.log --elf prog -o run.wmk` reads Spike's log; the file names
 * the code and gives the register width. Packets say little more than which way branches
 * went: they need the code, from --elf or from another trace (--code).
 */
#include <argp.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/error.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/file/other_files.h"
#include "cli/habits.h"
#include "cli/options.h"
#include "cli/record/guest.h"
#include "cli/signals.h"
#include "cli/values.h"
#include "format/writer.h"
#include "import/log.h"
#include "import/packets.h"
#include "out/number.h"
#include "packets/etrace.h"
#include "packets/ntrace.h"
#include "program/elf/search.h"

static const char doc[] =
	"Make a trace of RECORD, which another tool wrote in FORMAT: spike, execlog or qemu "
	"(logs), etrace or ntrace (packets of a processor, which need --elf or --code). "
	"\"-\" is standard input.";

enum {
	OPTION_ELF = 256,
	OPTION_ISA,
	OPTION_CODE,
	OPTION_SOURCE_BITS,
	OPTION_CONTEXTS,
	OPTION_EXTENDED,
	OPTION_SYMFS,
};
enum { SOURCE_BITS = 8, SOURCE_BITS_MOST = 16 };

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "Write the trace there (waymark.wmk)", 0 },
	{ "symfs", OPTION_SYMFS, "DIR", 0,
	  "Look below DIR, too, for files with code that the trace of --code has not",
	  0 },
	{ "elf", OPTION_ELF, "FILE[@ADDRESS]", 0,
	  "A file whose code ran; ADDRESS: how far above the addresses it is linked at. May be "
	  "given several times",
	  0 },
	{ "isa", OPTION_ISA, "ISA", 0,
	  "QEMU's name of the guest's instruction set (that of --elf, or riscv64)", 0 },
	{ "code", OPTION_CODE, "TRACE", 0, "Packets: the code is that of a trace, too",
	  0 },
	{ "source-bits", OPTION_SOURCE_BITS, "N", 0,
	  "Packets: bits of a hart's number (8)", 0 },
	{ "contexts", OPTION_CONTEXTS, NULL, 0,
	  "E-Trace: synchronisations have a context, in 32 bits", 0 },
	{ "extended-addresses", OPTION_EXTENDED, NULL, 0,
	  "N-Trace: equal bits at the top of addresses are left out", 0 },
	{ 0 },
};

struct arguments {
	const char *format, *record, *output, *isa, *code;
	struct packet_settings settings;
	const char **elfs; /* [n_elfs], as given */
	size_t n_elfs;
	struct import_module *modules; /* [n] */
	size_t n;
	struct wm_trace *trace; /* of `code`, for packets; else NULL */
};

/* ---- formats ---------------------------------------------------------------------------- */

/* What was read; exactly one of the three is set. */
struct record {
	struct pclog *pclog;
	struct qemulog *qemulog;
	struct import_packets packets; /* data NULL: none */
};

/* The readers of forms[]: they give the different readers one signature. */
static int read_spike(struct record *record, int fd, struct wm_error *err)
{
	return pclog_read(&record->pclog, PCLOG_SPIKE, fd, err);
}

static int read_execlog(struct record *record, int fd, struct wm_error *err)
{
	return pclog_read(&record->pclog, PCLOG_EXECLOG, fd, err);
}

/*
 * QEMU's log has two forms, which the first line distinguishes. The first line of a pipe
 * cannot be read ahead, so a pipe is never taken for a listing.
 */
static int read_qemu(struct record *record, int fd, struct wm_error *err)
{
	return pclog_is_listing(fd) ? pclog_read(&record->pclog, PCLOG_QEMU, fd, err) :
				      qemulog_read(&record->qemulog, fd, err);
}

static int read_ntrace(struct record *record, int fd, struct wm_error *err)
{
	record->packets.read = ntrace_read;
	return import_packets_read(&record->packets, fd, err);
}

static int read_etrace(struct record *record, int fd, struct wm_error *err)
{
	record->packets.read = etrace_read;
	return import_packets_read(&record->packets, fd, err);
}

/*
 * To add a format, add a row and a reader. `what` and the name of the record are stored
 * in the trace as the fact "imported".
 */
static const struct form {
	const char *name, *what;
	int (*read)(struct record *record, int fd, struct wm_error *err);
	bool packets; /* they need code */
} forms[] = {
	{ "spike", "Spike's log", read_spike, false },
	{ "execlog", "the log of QEMU's execlog plugin", read_execlog, false },
	{ "qemu", "QEMU's log", read_qemu, false },
	{ "etrace", "E-Trace packets", read_etrace, true },
	{ "ntrace", "N-Trace messages", read_ntrace, true },
};

enum { FORMS = sizeof(forms) / sizeof(*forms) };

/* ---- options ---------------------------------------------------------------------------- */

/* NULL: there is no such format. */
static const struct form *form_find(const char *name)
{
	for (unsigned i = 0; i < FORMS; i++)
		if (!strcmp(forms[i].name, name))
			return &forms[i];
	return NULL;
}

/* The first word is the format, the second the record. */
static void take_argument(struct arguments *args, char *arg, struct argp_state *state)
{
	const char **slot = !args->format ? &args->format : &args->record;

	if (*slot)
		argp_error(state, "one RECORD at a time");
	*slot = arg;
}

/* Ends the process. */
static void no_form(const char *typed, struct argp_state *state)
{
	const char *names[FORMS];
	char near[NEAREST_HINT];

	for (unsigned i = 0; i < FORMS; i++)
		names[i] = forms[i].name;
	argp_error(state,
		   "FORMAT is spike, execlog, qemu, etrace or ntrace, not \"%s\"%s",
		   typed, nearest_hint(near, typed, names, FORMS));
}

/* A name that no guest has ends the process. */
static const char *isa_or_end(const char *typed, struct argp_state *state)
{
	char list[128] = "";
	size_t used = 0;

	for (unsigned i = 0; guest_arch(i); i++) {
		if (!strcmp(guest_arch(i), typed))
			return typed;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 i ? ", " : "", guest_arch(i));
	}
	argp_error(state, "there is no ISA \"%s\": take one of %s", typed, list);
	return NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case 'o':
		args->output = arg;
		return 0;
	case OPTION_ELF:
		if (!APPEND(args->elfs, args->n_elfs, (const char *)arg))
			argp_failure(state, EXIT_ERROR, 0, "no memory");
		return 0;
	case OPTION_ISA:
		args->isa = isa_or_end(arg, state);
		return 0;
	case OPTION_SYMFS:
		elf_search_below(option_symfs(state, arg));
		return 0;
	case OPTION_CODE:
		args->code = arg;
		return 0;
	case OPTION_SOURCE_BITS:
		args->settings.source_bits = (unsigned)amount_or_end(
			arg, "--source-bits", 0, SOURCE_BITS_MOST, state);
		return 0;
	case OPTION_CONTEXTS:
		args->settings.contexts = true;
		return 0;
	case OPTION_EXTENDED:
		args->settings.modes = PACKET_ADDRESSES;
		return 0;
	case ARGP_KEY_ARG:
		take_argument(args, arg, state);
		return 0;
	case ARGP_KEY_END:
		if (!args->record)
			argp_error(state, "a FORMAT and a RECORD are needed");
		if (!form_find(args->format))
			no_form(args->format, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- the trace --------------------------------------------------------------------------- */

/* The first file decides the ISA unless --isa does. */
static int choose_isa(struct arguments *args, struct wm_error *err)
{
	const char *traced = args->trace ? wm_trace_meta(args->trace, "guest-isa") : NULL;

	if (args->isa)
		return 0;
	args->isa = args->n ? guest_arch_of(args->modules[0].fd) :
		    traced  ? traced :
			      "riscv64";
	return args->isa ?
		       0 :
		       wm_fail(err, WM_E_FORMAT, 0,
			       "%s is for a machine Waymark does not know; --isa says "
			       "which one ran",
			       args->modules[0].path);
}

/* args->n also counts a module that failed, so that close_modules() closes it. */
static int open_modules(struct arguments *args, bool packets, struct wm_error *err)
{
	int ret = 0;

	args->modules = calloc(args->n_elfs + 1, sizeof(*args->modules));
	if (!args->modules)
		return wm_fail_nomem(err, "files");
	while (!ret && args->n < args->n_elfs) {
		ret = import_module_open(&args->modules[args->n], args->elfs[args->n],
					 err);
		args->n++;
	}
	if (!ret && packets && args->code)
		ret = wm_trace_open(&args->trace, args->code, err);
	return ret ? ret : choose_isa(args, err);
}

static void close_modules(struct arguments *args)
{
	for (size_t i = 0; i < args->n; i++)
		import_module_close(&args->modules[i]);
	free(args->modules);
	free(args->elfs);
	if (args->trace)
		wm_trace_close(args->trace);
}

static unsigned xlen_of(const struct arguments *args)
{
	return strcmp(args->isa, "riscv32") ? 64 : 32;
}

/*
 * Gathers the code in which the packets are followed: that of the files, then that of the
 * trace.
 */
static int add_code(struct packet_code *code, const struct arguments *args,
		    struct wm_error *err)
{
	int ret = packet_code_init(code, xlen_of(args), err);

	for (size_t i = 0; !ret && i < args->n; i++)
		ret = import_code_module(code, &args->modules[i], err);
	return ret || !args->trace ? ret : import_code_trace(code, args->trace, err);
}

/*
 * Modules come first, so that blocks find the file they are in. Those that the user names replace
 * others.
 */
static int fill(struct import_file *file, const struct arguments *args,
		struct record *record, struct wm_error *err)
{
	int ret = args->trace ? import_modules_of(args->trace, file, err) : 0;

	for (size_t i = 0; !ret && i < args->n; i++)
		ret = import_module_put(&args->modules[i], file, err);
	if (ret)
		return ret;
	if (record->packets.data)
		return import_packets(file, &record->packets, err);
	if (record->qemulog)
		return import_qemulog(file, record->qemulog, err);
	return import_pclog(file, record->pclog, xlen_of(args), err);
}

/* NULL: not known. */
static const char *program_of(const struct arguments *args)
{
	struct wm_process process;
	struct wm_summary summary;

	if (args->n || !args->trace)
		return args->n ? args->modules[0].path : NULL;
	wm_trace_summary(args->trace, &summary);
	return summary.processes == 1 && !wm_trace_process(args->trace, 0, &process) ?
		       process.path :
		       NULL;
}

/* What a hart ran last, its encoder sends when tracing ends. */
static const char unended[] = "the packets end while a hart is still traced";

/* import_file_free() removes an unfinished file. */
static int write_trace(const struct arguments *args, const struct form *form,
		       struct record *record, struct import_sums *sums,
		       struct wm_error *err)
{
	struct import_facts facts = { args->isa, NULL, program_of(args) };
	struct import_file *file = NULL;
	char *imported = NULL;
	int ret;

	if (asprintf(&imported, "%s %s", form->what, args->record) < 0)
		return wm_fail_nomem(err, "a trace");
	facts.imported = imported;
	ret = import_file_open(&file, args->output, &facts, err);
	if (!ret)
		ret = fill(file, args, record, err);
	if (!ret)
		ret = import_file_finish(file, record->packets.unended ? unended : "",
					 sums, err);
	import_file_free(file);
	free(imported);
	return ret;
}

/* What has a line for each instruction does not say how long it is. */
static int check_isa(const struct arguments *args, const struct record *record,
		     struct wm_error *err)
{
	if (record->qemulog || !strncmp(args->isa, "riscv", strlen("riscv")))
		return 0;
	return wm_fail(
		err, WM_E_RANGE, 0,
		"of %s only QEMU's log of -d in_asm,exec,nochain is imported; lists "
		"of instructions and packets are of RISC-V",
		args->isa);
}

/*
 * Packets refer to code by the branches that were taken, so they cannot be followed
 * without it. It is there before they are read, to see that they are of it.
 */
static int prepare_packets(const struct arguments *args, struct record *record,
			   struct wm_error *err)
{
	int ret = check_isa(args, record, err);

	if (ret)
		return ret;
	if (!args->n && !args->code)
		return wm_fail(err, WM_E_RANGE, 0,
			       "packets have no code: --elf or --code is needed");
	record->packets.settings = args->settings;
	return add_code(&record->packets.code, args, err);
}

/* A record on standard input stays open: it is not this function's. */
static int read_record(const struct arguments *args, const struct form *form,
		       struct record *record, struct wm_error *err)
{
	bool is_stdin = !strcmp(args->record, "-");
	int fd = is_stdin ? STDIN_FILENO : open(args->record, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return wm_fail_errno(err, "cannot open %s", args->record);
	ret = form->read(record, fd, err);
	if (!is_stdin)
		close(fd);
	return ret;
}

static void print_sums(const char *path, const struct import_sums *sums)
{
	char insns[NUMBER_TEXT], streams[NUMBER_TEXT], bytes[NUMBER_TEXT];

	remark("%s: %s instructions, %s %s, %s bytes", path,
	       number_grouped(insns, sums->insns), number_grouped(streams, sums->streams),
	       sums->streams == 1 ? "thread" : "threads",
	       number_grouped(bytes, sums->bytes));
}

/* Of a log with a kernel's instructions, only those of user mode are in the trace. */
static void tell_left_out(const char *path, const struct pclog *log, uint64_t taken)
{
	char insns[NUMBER_TEXT];
	uint64_t all = log ? pclog_all(log) : taken;

	if (all > taken)
		remark("%s: has of the record's %s instructions only those of user mode",
		       path, number_grouped(insns, all));
}

/*
 * The order decides what an error leaves behind: files and record are read completely
 * before the trace is opened for writing.
 */
int cmd_import(int argc, char **argv)
{
	static const struct argp argp = { .options = options,
					  .parser = parse,
					  .args_doc = "FORMAT RECORD",
					  .doc = doc };
	struct arguments args = { .output = "waymark.wmk",
				  .settings.source_bits = SOURCE_BITS };
	const struct form *form;
	struct record record = { 0 };
	struct import_sums sums;
	struct wm_error err;
	int ret;

	command_parse(&argp, argc, argv, 0, &args);
	form = form_find(args.format);
	signals_tidy(writer_remove_unpublished);
	ret = open_modules(&args, form->packets, &err);
	if (!ret && form->packets)
		ret = prepare_packets(&args, &record, &err);
	if (!ret)
		ret = read_record(&args, form, &record, &err);
	if (!ret)
		ret = check_isa(&args, &record, &err);
	if (!ret)
		ret = write_trace(&args, form, &record, &sums, &err);
	if (!ret && !form->packets)
		remark_other_files(args.output, args.modules, args.n);
	if (!ret)
		tell_left_out(args.output, record.pclog, sums.insns);
	pclog_free(record.pclog);
	qemulog_free(record.qemulog);
	import_packets_fini(&record.packets);
	close_modules(&args);
	if (ret)
		return fail_on(args.record, &err);
	print_sums(args.output, &sums);
	if (record.packets.unended)
		remark("%s is cut short: %s", args.output, unended);
	return EXIT_OK;
}
