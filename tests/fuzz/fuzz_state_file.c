// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * State files. What was read is written again, and must be read as the same bytes. Inputs have
 * no checksum: it is added here, for the parser behind it to be reached.
 */
#include <xxhash.h>

#include "base/error.h"
#include "fuzz.h"
#include "query/state_file.h"

/* The bytes with their checksum, malloc()ed. */
static uint8_t *sign(const uint8_t *data, size_t n)
{
	struct buf bytes = BUF_INIT;

	buf_put(&bytes, data, n);
	buf_put_u64(&bytes, XXH3_64bits(data, n));
	MUST(!bytes.failed);
	return bytes.data;
}

static void check_again(const struct state_file *file)
{
	struct buf first = BUF_INIT, second = BUF_INIT;
	struct wm_error err = { 0 };
	struct state_file again;
	uint8_t *copy;

	state_file_put(file, &first);
	MUST(!first.failed);
	copy = malloc(first.len);
	MUST(copy);
	memcpy(copy, first.data, first.len);
	MUST(!state_file_get(&again, copy, first.len, "again", &err));
	state_file_put(&again, &second);
	MUST(first.len == second.len && !memcmp(first.data, second.data, first.len));
	state_file_fini(&again);
	buf_fini(&first);
	buf_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct wm_error err = { 0 };
	struct state_file file;

	if (state_file_get(&file, sign(data, n), n + sizeof(uint64_t), "input", &err)) {
		MUST(err.code && err.text[0]);
		return 0;
	}
	MUST(file.n_words && file.words[0] && !file.words[file.n_words]);
	for (size_t i = 0; i < file.n_pieces; i++)
		MUST(file.pieces[i].n <= file.pieces[i].parts);
	check_again(&file);
	state_file_fini(&file);
	return 0;
}
