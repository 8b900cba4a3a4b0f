// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The registry of outside formats. A row of formats[] is the first member of a larger
 * struct, whose type follows from its kind: whoever asks for a format of FORMAT_INSNS
 * gets a struct insn_format. The rows are the only list of formats there is.
 */
#include "export/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/block_format.h"
#include "export/calls_format.h"
#include "export/cfg_format.h"
#include "export/cover_format.h"
#include "export/event_format.h"
#include "export/insn_format.h"
#include "export/marks_format.h"
#include "export/mem_format.h"
#include "export/packets_format.h"
#include "export/phases_format.h"

/* By kind, and in each kind the default first. Commands and help list them in this order. */
const struct format *const formats[] = {
	&insn_text.line.format,
	&insn_qemu.line.format,
	&insn_execlog.line.format,
	&insn_spike.line.format,
	&insn_csv.line.format,
	&insn_jsonl.line.format,

	&block_text.line.format,
	&block_pc.line.format,
	&block_csv.line.format,
	&block_jsonl.line.format,
	&block_ctf.line.format,

	&event_text.format,
	&event_csv.format,
	&event_jsonl.format,

	&marks_text.format,
	&marks_csv.format,
	&marks_json.format,

	&cfg_json.format,
	&cfg_dot.format,
	&cfg_llvm_profile.format,
	&cfg_llvm_profile_binary.format,
	&cfg_autofdo.format,
	&cfg_bolt.format,

	&phases_json.format,
	&phases_bb.format,
	&phases_simpoints.format,
	&phases_weights.format,

	&cover_lcov.format,
	&cover_drcov.format,
	&cover_coverage_py.format,
	&cover_jacoco.format,

	&calls_callgrind.format,
	&calls_folded.format,
	&calls_pprof.format,
	&calls_speedscope.format,
	&calls_chrome.format,
	&calls_perfetto.format,
	&calls_uftrace.format,

	&mem_din.format,
	&mem_lackey.format,
	&mem_champsim.format,
	&mem_execlog.format,
	&mem_commits.format,
	&mem_riscv_dv.format,
	&mem_stf.format,

	&packets_etrace.format,
	&packets_ntrace.format,

	NULL,
};

/* Also the names of commands: `waymark export` runs the command of a format's kind. */
static const char *const words[FORMAT_KINDS] = {
	[FORMAT_INSNS] = "insns",   [FORMAT_BLOCKS] = "blocks",
	[FORMAT_EVENTS] = "events", [FORMAT_MARKS] = "marks",
	[FORMAT_CFG] = "cfg",	    [FORMAT_PHASES] = "phases",
	[FORMAT_COVER] = "cover",   [FORMAT_CALLS] = "calls",
	[FORMAT_MEM] = "mem",	    [FORMAT_PACKETS] = "packets",
};

const char *format_kind_word(enum format_kind kind)
{
	return words[kind];
}

const char *format_full_name(const struct format *format, char text[FORMAT_FULL_NAME])
{
	snprintf(text, FORMAT_FULL_NAME, "%s-%s", format_kind_word(format->kind),
		 format->name);
	return text;
}

/* Full names are tried first: these are never ambiguous. */
unsigned format_named(const char *name, const struct format **found)
{
	char full[FORMAT_FULL_NAME];
	unsigned n = 0;

	for (unsigned i = 0; formats[i]; i++)
		if (!strcmp(format_full_name(formats[i], full), name)) {
			*found = formats[i];
			return 1;
		}
	for (unsigned i = 0; formats[i]; i++)
		if (!strcmp(formats[i]->name, name) && !n++)
			*found = formats[i];
	return n;
}

/* By kind and name, because several kinds have a format "text", "csv" or "json". */
const struct format *format_find(enum format_kind kind, const char *name)
{
	for (unsigned i = 0; formats[i]; i++)
		if (formats[i]->kind == kind && !strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

/*
 * Names stay in the order of formats[], so that the default is first: for events "text",
 * "csv", "jsonl".
 */
unsigned format_names(enum format_kind kind, const char *names[FORMAT_NAMES_MAX])
{
	unsigned n = 0;

	/* The last element is left for the NULL. */
	for (unsigned i = 0; formats[i] && n < FORMAT_NAMES_MAX - 1; i++)
		if (formats[i]->kind == kind)
			names[n++] = formats[i]->name;
	names[n] = NULL;
	return n;
}

char *format_list(enum format_kind kind)
{
	char *list = NULL;
	size_t bytes;
	FILE *out = open_memstream(&list, &bytes);
	unsigned n = 0;

	/* open_memstream() fails only without memory. */
	if (!out)
		return NULL;
	for (unsigned i = 0; formats[i]; i++)
		if (formats[i]->kind == kind)
			fprintf(out, "%s%s (%s)",
				n++ ? ", " : "Formats: ", formats[i]->name,
				formats[i]->what);
	/*
	 * The first one follows "Formats: ", so an empty list would be a full stop alone;
	 * every kind has a format.
	 */
	fputc('.', out);
	fclose(out);
	return list;
}
