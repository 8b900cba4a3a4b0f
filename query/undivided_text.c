// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The shard of the first part is the text, and behind it the count, which is known last; those of
 * the others are empty.
 */
#include "query/undivided_text.h"

#include "base/error.h"
#include "query/state_file.h"

/* Bytes of the count; of what is written at a time. */
enum { COUNT_BYTES = 8, PIECE_BYTES = 1 << 20 };

struct work {
	const struct undivided_text *text;
	FILE *out;
	uint64_t *count;
};

/* ---- a stream into a spool ------------------------------------------------- */

struct spooling {
	struct spool *spool;
	struct wm_error *err;
	int ret;
};

static ssize_t put_text(void *cookie, const char *text, size_t bytes)
{
	struct spooling *spooling = cookie;

	if (!spooling->ret)
		spooling->ret = spool_put(spooling->spool, text, bytes, spooling->err);
	return spooling->ret ? 0 : (ssize_t)bytes;
}

/* ---- the work -------------------------------------------------------------- */

static int write_text(const struct work *work, struct spool *out, struct wm_error *err)
{
	struct wm_error put_err;
	struct spooling spooling = { out, &put_err, 0 };
	FILE *file =
		fopencookie(&spooling, "w", (cookie_io_functions_t){ .write = put_text });
	int ret;

	if (!file)
		return wm_fail_nomem(err, "a text");
	ret = work->text->write(work->text->cookie, file, work->count, err);
	fclose(file);
	if (ret || !spooling.ret)
		return ret;
	*err = put_err;
	return spooling.ret;
}

static int spool(void *cookie, uint32_t number, uint32_t parts, struct spool *out,
		 struct wm_error *err)
{
	const struct work *work = cookie;
	struct buf count = BUF_INIT;
	int ret;

	(void)parts;
	if (number != 1)
		return 0;
	ret = write_text(work, out, err);
	buf_put_u64(&count, *work->count);
	if (!ret)
		ret = count.failed ? wm_fail_nomem(err, "a text") :
				     spool_put(out, count.data, count.len, err);
	buf_fini(&count);
	return ret;
}

/* The only one with a text; NULL: none has. Two, or half a count, are malformed. */
static int find_text(const struct shard_source *parts, size_t n,
		     const struct shard_source **found, struct wm_error *err)
{
	*found = NULL;
	for (size_t i = 0; i < n; i++) {
		if (!span_left(&parts[i].shard))
			continue;
		if (*found || span_left(&parts[i].shard) < COUNT_BYTES)
			return wm_fail(err, WM_E_FORMAT, 0, "a part's text is malformed");
		*found = &parts[i];
	}
	return 0;
}

static int put_piece(void *cookie, const void *data, size_t bytes, struct wm_error *err)
{
	return spool_put(cookie, data, bytes, err);
}

static int print_piece(void *cookie, const void *data, size_t bytes, struct wm_error *err)
{
	(void)err;
	fwrite(data, 1, bytes, cookie);
	return 0;
}

/* Hands the first bytes of a shard on, in pieces. */
static int each_piece(const struct shard_source *from, size_t bytes,
		      int (*take)(void *cookie, const void *data, size_t bytes,
				  struct wm_error *err),
		      void *cookie, struct wm_error *err)
{
	uint64_t given_back = 0;
	int ret = 0;

	for (size_t done = 0; !ret && done < bytes;) {
		size_t n = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;

		ret = take(cookie, from->shard.at + done, n, err);
		done += n;
		if (from->spool)
			spool_give_back(from->spool, &given_back, from->shard.at + done);
	}
	return ret;
}

static int join(void *cookie, const struct shard_source *parts, size_t n,
		struct spool *out, struct wm_error *err)
{
	const struct shard_source *found;
	int ret = find_text(parts, n, &found, err);

	(void)cookie;
	return ret || !found ?
		       ret :
		       each_piece(found, span_left(&found->shard), put_piece, out, err);
}

static int hand_out(void *cookie, const struct shard_source *parts, size_t n,
		    struct wm_error *err)
{
	const struct work *work = cookie;
	const struct shard_source *found;
	struct span count;
	size_t bytes;
	int ret = find_text(parts, n, &found, err);

	if (!ret && !found)
		return wm_fail(err, WM_E_FORMAT, 0, "a part's text is missing");
	if (ret)
		return ret;
	bytes = span_left(&found->shard) - COUNT_BYTES;
	count = span_of(found->shard.at + bytes, COUNT_BYTES);
	*work->count = span_u64(&count);
	return each_piece(found, bytes, print_piece, work->out, err);
}

static int here(void *cookie, struct wm_error *err)
{
	const struct work *work = cookie;

	return work->text->write(work->text->cookie, work->out, work->count, err);
}

int undivided_write(const struct undivided_text *text, const struct wm_trace *trace,
		    struct share *share, FILE *out, uint64_t *count, struct wm_error *err)
{
	struct work work = { text, out, count };
	const struct share_work shared = {
		.here = here,
		.cookie = &work,
		.shared = true,
		.spool = spool,
		.join = join,
		.hand_out = hand_out,
	};

	*count = 0;
	return share_run(share, &shared, state_identity(trace), err);
}
