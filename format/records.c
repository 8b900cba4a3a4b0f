// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The small records: META, PROC, PEND, STRM, MODU, ENDS. Each get mirrors its put, field
 * by field.
 *
 * Fields that were added to the format later stand at the end of a record and are absent
 * where they have their default: a stream that passed no instruction has no `passed`, a
 * plain process no `kind`. So readers of any age understand plain records, and a get
 * finds out from the bytes that are left whether a field is there.
 *
 * Example: the PROC of a plain process ends after its path. The PROC of a machine has 8
 * more bytes, kind 1 and over 2^32 - 1.
 */
#include "format/records.h"

#include <stdlib.h>
#include <string.h>

/*
 * Reads the last string of a record. False when any field of the record was malformed: a
 * span that has failed stays failed.
 */
static bool last_string(struct span *span, char **text)
{
	*text = span_string(span);
	if (*text && !span->failed)
		return true;
	free(*text);
	*text = NULL;
	return false;
}

void meta_put(struct buf *buf, const char *key, const char *value)
{
	buf_put_string(buf, key);
	buf_put_string(buf, value);
}

bool meta_get(struct span *span, struct meta_record *meta)
{
	meta->key = span_string(span);
	if (last_string(span, &meta->value) && meta->key)
		return true;
	/* Either string may be there without the other. */
	free(meta->key);
	free(meta->value);
	return false;
}

void space_put(struct buf *buf, const struct space_record *space)
{
	buf_put_u32(buf, space->index);
	buf_put_u32(buf, space->pid);
	buf_put_u32(buf, space->parent);
	buf_put_u64(buf, space->begin_ns);
	buf_put_string(buf, space->path);
	/* A plain record stays as short as in the first version of the format. */
	if (space_is_plain(space))
		return;
	buf_put_u32(buf, space->kind);
	buf_put_u32(buf, space->over);
}

bool space_get(struct span *span, struct space_record *space)
{
	space->index = span_u32(span);
	space->pid = span_u32(span);
	space->parent = span_u32(span);
	space->begin_ns = span_u64(span);
	space->path = span_string(span);
	/* The defaults of a plain record. */
	space->kind = WM_SPACE_PROCESS;
	space->over = SPACE_NONE;
	/* Both fields or none: space_put() writes them together. */
	if (space->path && span_left(span)) {
		space->kind = span_u32(span);
		space->over = span_u32(span);
	}
	/* A failed read of the later fields fails the record, too. */
	if (space->path && !span->failed)
		return true;
	free(space->path);
	space->path = NULL;
	return false;
}

void space_end_put(struct buf *buf, const struct space_end_record *end)
{
	buf_put_u32(buf, end->index);
	/* -1, not known, is stored as 2^32 - 1. */
	buf_put_u32(buf, (uint32_t)end->status);
	buf_put_u64(buf, end->end_ns);
}

bool space_end_get(struct span *span, struct space_end_record *end)
{
	end->index = span_u32(span);
	end->status = (int32_t)span_u32(span);
	end->end_ns = span_u64(span);
	return !span->failed;
}

/* A `passed` of 0, the default, is not stored. */
void stream_put(struct buf *buf, const struct stream_record *stream)
{
	buf_put_u32(buf, stream->index);
	buf_put_u32(buf, stream->space);
	buf_put_u32(buf, stream->vcpu);
	buf_put_u32(buf, stream->generation);
	buf_put_u32(buf, stream->tid);
	buf_put_string(buf, stream->name);
	if (stream->passed)
		buf_put_u64(buf, stream->passed);
}

bool stream_get(struct span *span, struct stream_record *stream)
{
	stream->index = span_u32(span);
	stream->space = span_u32(span);
	stream->vcpu = span_u32(span);
	stream->generation = span_u32(span);
	stream->tid = span_u32(span);
	stream->name = span_string(span);
	/* When the name failed, the bytes that are left are no field. */
	stream->passed = stream->name && span_left(span) ? span_u64(span) : 0;
	if (stream->name && !span->failed)
		return true;
	free(stream->name);
	stream->name = NULL;
	return false;
}

/* The last three fields stay together: a get takes all of them or none. */
void module_put(struct buf *buf, const struct module_record *module)
{
	buf_put_u32(buf, module->space);
	buf_put_u64(buf, module->start);
	buf_put_u64(buf, module->end);
	buf_put_u64(buf, module->file_off);
	buf_put_string(buf, module->path);
	buf_put_u32(buf, module->known_blocks);
	buf_put_u64(buf, module->ns);
	buf_put_string(buf, module->build_id);
}

bool module_get(struct span *span, struct module_record *module)
{
	module->space = span_u32(span);
	module->start = span_u64(span);
	module->end = span_u64(span);
	module->file_off = span_u64(span);
	module->path = span_string(span);
	module->known_blocks = 0;
	module->ns = 0;
	/* The first recorders wrote no more than the path. */
	if (!span_left(span)) {
		/* A build-id that is not known is an empty string. */
		module->build_id = strdup("");
	} else {
		module->known_blocks = span_u32(span);
		module->ns = span_u64(span);
		module->build_id = span_string(span);
	}
	if (module->path && module->build_id && !span->failed)
		return true;
	module_fini(module);
	return false;
}

void module_fini(struct module_record *module)
{
	free(module->path);
	free(module->build_id);
}

void end_put(struct buf *buf, const char *cut)
{
	buf_put_string(buf, cut);
}

bool end_get(struct span *span, char **cut)
{
	return last_string(span, cut);
}
