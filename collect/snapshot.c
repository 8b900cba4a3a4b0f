// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A snapshot is a copy of the file up to one moment, with an end of its own. Copying may
 * take seconds, and the collector must not stop for so long, so its thread is visited
 * twice:
 *
 * 	collector's thread	flush, branch off	...runs on...	put the end
 * 	this thread				copy the file up to the branch
 *
 * writer_branch() fixes where the copy ends; the file only grows after that, so copying
 * needs no lock.
 */
#include "collect/control.h"

#include "collect/facts.h"
#include "collect/live.h"
#include "collect/mailbox.h"

/*
 * One visit to the collector's thread: the first branches off, the second ends the copy.
 */
struct visit {
	struct errand errand;
	const char *path;
	struct writer *branch;
	uint64_t insns;
	int ret;
	struct wm_error *err;
};

static struct visit *visit_of(struct errand *errand)
{
	return (struct visit *)errand; /* it is its first member */
}

static void branch_off(struct errand *errand, const struct live *live)
{
	struct visit *visit = visit_of(errand);
	struct recording *rec = live->recording;

	if (!live->reported)
		visit->ret =
			wm_fail(visit->err, WM_E_RANGE, 0, "no program has begun yet");
	else if (rec->out.sealed)
		visit->ret = wm_fail(visit->err, WM_E_RANGE, 0,
				     "the recording was stopped: its file is complete");
	else
		/*
		 * The chunks in work are written to the file itself, so that the copy
		 * contains them.
		 */
		visit->ret = live_flush(live, visit->err);
	if (!visit->ret)
		visit->ret = writer_branch(&visit->branch, rec->out.writer, visit->path,
					   visit->err);
	visit->insns = live_insns_in_file(live);
}

static void end_branch(struct errand *errand, const struct live *live)
{
	struct visit *visit = visit_of(errand);
	/*
	 * A copy of the output with another writer: reasons to cut so far hold for the
	 * snapshot as well, and faults of the snapshot do not reach the recording.
	 */
	struct output out = live->recording->out;

	out.writer = visit->branch;
	out.sealed = false;
	mapped_copy_names(&live->recording->mapped, &live->recording->defs, &out);
	generated_put(&live->recording->generated, &live->recording->defs, &out);
	facts_end(live->recording, live->board, &out, "snapshot");
	visit->ret = out.fault.code;
	if (visit->ret)
		*visit->err = out.fault;
}

/* Has one of them run. */
static int go(struct visit *visit, struct collector *collector,
	      void (*run)(struct errand *, const struct live *))
{
	visit->errand.run = run;
	if (!collector_ask(collector, &visit->errand))
		return wm_fail(visit->err, WM_E_RANGE, 0, "the recording has ended");
	return visit->ret;
}

int snapshot_write(struct snapshot *snapshot, struct collector *collector,
		   const char *path, struct wm_error *err)
{
	struct visit visit = { .path = path, .err = err };
	int ret = go(&visit, collector, branch_off);

	if (ret)
		return ret;
	/* The long part, on this thread. The collector runs on. */
	ret = writer_branch_fill(visit.branch, err);
	if (!ret)
		ret = go(&visit, collector, end_branch);
	if (!ret)
		ret = writer_seal(visit.branch, err);
	if (!ret)
		ret = writer_publish(visit.branch, err);
	snapshot->insns = visit.insns;
	snapshot->bytes = writer_bytes(visit.branch);
	if (!ret)
		return writer_finish(visit.branch, err);
	writer_abort(visit.branch);
	return ret;
}
