// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A tape is a list of entries: the offset, the number of bytes, the bytes. Opening a trace
 * reads the same in every process, so the next entry is what is wanted, and no search is
 * needed. Should a process go another way, it finds no more entries and reads the file.
 *
 * Example: "0 24 <header> 99980 20 <end>" are two reads; the third reader_copy() of 24 bytes at
 * 0 is not on it.
 */
#include "format/tape.h"

#include <string.h>

void tape_play(struct tape *tape)
{
	tape->plays = true;
	tape->ahead = span_of(tape->bytes.data, tape->bytes.len);
}

void tape_note(struct tape *tape, uint64_t off, const void *data, size_t bytes)
{
	buf_put_varint(&tape->bytes, off);
	buf_put_varint(&tape->bytes, bytes);
	buf_put(&tape->bytes, data, bytes);
}

bool tape_take(struct tape *tape, uint64_t off, void *data, size_t bytes)
{
	struct span next = tape->ahead;
	const uint8_t *at;

	if (span_varint(&next) != off || span_varint(&next) != bytes)
		return false;
	at = span_bytes(&next, bytes);
	if (!at || next.failed)
		return false;
	memcpy(data, at, bytes);
	tape->ahead = next;
	return true;
}
