// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Facts are text (META sections): for people, and for readers that know a key.
 * FORMAT.md, section 4, lists the keys. Facts known at the start come first in the file,
 * so that a file whose recorder was killed has them, too; the others come last. Facts
 * about windows and filters are written by collect/steering.c.
 */
#include "collect/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "collect/recording.h"
#include "format/records.h"
#include "format/section.h"
#include "format/values.h"

#define ENDING_BYTES 2048 /* of all that facts_end() puts, about */

/* The words are those of waymark.h. */
void facts_values(struct output *out, uint32_t values)
{
	static const char *const accesses[] = { "", ",loads", ",stores", ",all" };
	char text[64];

	snprintf(text, sizeof(text), "%s%s%s%s",
		 values & VALUES_SITES ? ",sites" : accesses[values & VALUES_ALL],
		 values & VALUES_DATA ? ",data" : "",
		 values & VALUES_WRITTEN ? ",commits" : "",
		 values & VALUES_PLACES ? ",places" : "");
	/* Each word has a comma before it. */
	if (*text)
		output_fact(out, "values", text + 1);
}

/* Which events were wanted at the start, if not the default. */
static void put_events(struct output *out, uint64_t wanted)
{
	const struct event_info *info;
	struct buf names = BUF_INIT;

	for (unsigned i = 0; wanted != EVENTS_DEFAULT && (info = event_info_at(i)); i++) {
		if (!(wanted >> info->number & 1))
			continue;
		if (names.len)
			buf_put_u8(&names, ' ');
		buf_put(&names, info->name, strlen(info->name));
	}
	buf_put_u8(&names, 0);
	if (wanted != EVENTS_DEFAULT && !names.failed)
		output_fact(out, "events", (const char *)names.data);
	buf_fini(&names);
}

void facts_begin(struct output *out, uint64_t events, const struct collector_facts *facts,
		 const struct board *board, const struct arena_header *header)
{
	const struct steering *steering = facts->steering;
	/*
	 * The header is in memory that guests can write to: the string need not end in a
	 * NUL.
	 */
	char isa[sizeof(header->isa) + 1] = "", started[32], host[sizeof(struct utsname)];
	struct utsname name;

	memcpy(isa, header->isa, sizeof(header->isa));
	snprintf(started, sizeof(started), "%lld", (long long)time(NULL));
	/* output_fact() leaves out facts whose value is NULL. */
	output_fact(out, "waymark", WAYMARK_VERSION);
	output_fact(out, "command", facts->command);
	output_fact(out, "guest-isa", isa);
	output_fact(out, "qemu", facts->qemu);
	output_fact(out, "qemu-version", facts->qemu_version);
	output_fact(out, "qemu-arguments", facts->qemu_args);
	output_fact(out, "qemu-environment", facts->qemu_environment);
	output_fact(out, "started", started);
	output_fact(out, "last", facts->last_text);
	output_fact(out, "unfollowed", facts->unfollowed);
	if (board->precise)
		output_fact(out, "precise", "yes");
	if (facts->code_in_files)
		output_fact(out, "code", "files");
	if (steering) {
		output_fact(out, "windows", steering->window_words);
		output_fact(out, "filters", steering->filter_words);
		output_fact(out, "limits", steering->limit_words);
		output_fact(out, "value_places", steering->value_places);
	}
	put_events(out, events);
	if (header->blind)
		output_fact(out, "faults", "unseen");
	if (uname(&name) == 0) {
		snprintf(host, sizeof(host), "%s %s %s %s", name.sysname, name.release,
			 name.machine, name.nodename);
		output_fact(out, "host", host);
	}
}

/* Whether the counts of unrecorded instructions are complete and exact. */
static bool has_counted(const struct recording *recording, const char *until)
{
	const struct newest_wish *last = &recording->chunks.newest.wish;

	return (recording->tally.passed || last->bytes || last->insns) &&
	       !recording->tally.unsure && !until && !*recording->out.cut &&
	       steered_counts(&recording->steered);
}

static void cut_lost(struct output *out, uint32_t processes)
{
	char why[160];

	snprintf(why, sizeof(why),
		 "%" PRIu32 " %s not recorded: no place was left, "
		 "the recorder's memory or QEMU was out of reach, or execveat() began it",
		 processes, processes == 1 ? "process was" : "processes were");
	output_cut(out, why);
}

static void tell_foreign(struct output *out, const struct board *board)
{
	uint32_t processes = atomic_load(&board->foreign);
	char text[192];

	if (!processes)
		return;
	/* The guest's process wrote the name: it may have no end. */
	snprintf(text, sizeof(text), "%" PRIu32 " %s %.*s", processes,
		 processes == 1 ? "process became a program of another machine," :
				  "processes became programs of another machine, such as",
		 (int)sizeof(board->foreign_program), board->foreign_program);
	output_fact(out, "foreign", text);
}

void facts_end(const struct recording *recording, const struct board *board,
	       struct output *out, const char *until)
{
	struct buf payload = BUF_INIT;

	/*
	 * After a full disk the writer refuses sections. The end is small, and it says
	 * what is missing, so it is worth another attempt, and the last chunk if need be.
	 */
	if (writer_failed(out->writer)) {
		output_cut(out, writer_failed(out->writer));
		writer_retry_end(out->writer, ENDING_BYTES);
	}
	if (atomic_load(&board->lost))
		cut_lost(out, atomic_load(&board->lost));
	/* What nothing was seen of may have begun before, or not yet. */
	if (recording->follows && !recording->turns.moved)
		output_fact(
			out, "unfollowed",
			"threads and processes are not told apart: the Linux of --kernel "
			"was not seen to switch threads where it is linked. It did not get "
			"that far, it is another kernel, or it moved itself (boot with "
			"nokaslr)");
	output_fact(out, "until", until);
	output_number(out, "children-not-recorded", atomic_load(&board->left_out));
	tell_foreign(out, board);
	/* After all reasons to cut are known: they decide whether counts are complete. */
	if (has_counted(recording, until))
		output_fact(out, "passed", "counted");
	end_put(&payload, out->cut);
	output_put(out, SECTION_ENDS, &payload, 0);
	buf_fini(&payload);
}
