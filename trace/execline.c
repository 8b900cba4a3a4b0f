// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of execlog: a record's beginning, where another CPU's record begins in the same line,
 * and the words after the instruction's text. These are parted by commas: "load" or "store"
 * and an address, the name of a device, or a register with its new value. The names of
 * registers are those that QEMU gives gdb; "fp" is s0 there. Registers that have no number,
 * those of 128 bits and devices are passed.
 */
#include "trace/execline.h"

#include <string.h>

#include "isa/flow.h"
#include "isa/registers.h"
#include "trace/logwords.h"

enum {
	DIGITS_MOST = 16,
	NEW_AT_ONCE = 64, /* CPUs that begin before the first of them has a record */
};

/*
 * QEMU before 9.1 gives the plugin two more bytes behind an instruction of two, which are not
 * its own and differ from run to run: `0, 0x105c2, 0xef318082, "8082   ret"`. The text of
 * these versions begins with the instruction, at its own width.
 */
static uint64_t without_rest(uint64_t word, const char *text, const char *end)
{
	uint64_t own;
	const char *stop = hex_number(text, end, &own);
	bool is_own = stop - text == 4 && stop < end && *stop == ' ';

	return is_own && own == (word & 0xffff) ? own : word;
}

bool execline_read(const char *at, const char *end, struct execline *is)
{
	uint64_t word;

	at = log_word(log_decimal(at, end, &is->cpu), end, ", ");
	at = at ? log_address(at, end, &is->pc) : NULL;
	at = log_word(at, end, ", ");
	at = at ? log_address(at, end, &word) : NULL;
	is->text = log_word(at, end, ", \"");
	if (!is->text)
		return false;
	is->word = (uint32_t)without_rest(word, is->text, end);
	return true;
}

/* The position of `text`, which ends at `at`; NULL: it does not, or `at` is NULL. */
static const char *word_before(const char *begin, const char *at, const char *text)
{
	size_t bytes = strlen(text);

	return at && (size_t)(at - begin) >= bytes && !memcmp(at - bytes, text, bytes) ?
		       at - bytes :
		       NULL;
}

static const char *address_before(const char *begin, const char *at)
{
	while (at && at > begin && hex_value(at[-1]) < 16)
		at--;
	return word_before(begin, at, "0x");
}

/* A record behind another one in the same line. */
struct joint {
	/*
	 * It begins at one of these digits, which a CPU's number ends with: at the first one
	 * unless the record before it ends with an address or a value.
	 */
	const char *first, *last;
};

/* Back from the second text, whose quotation mark is the first behind `done`. */
static bool find_joint(const char *done, const char *end, struct joint *joint)
{
	const char *at = memchr(done, '"', (size_t)(end - done));

	at = word_before(done, at, ", ");
	for (unsigned i = 0; i < 2; i++)
		at = word_before(done, address_before(done, at), ", ");
	if (!at || at == done)
		return false;
	*joint = (struct joint){ at, at - 1 };
	while (joint->first > done && joint->first[-1] >= '0' && joint->first[-1] <= '9')
		joint->first--;
	if (!address_before(done, at))
		joint->last = joint->first;
	return joint->first < at;
}

/* Where a CPU's last instruction leads. */
static struct flow flow_of(const struct execlast *last, const char *isa)
{
	if (!strncmp(isa, "riscv", strlen("riscv")))
		return flow_riscv(last->word, strcmp(isa, "riscv32") ? 64 : 32, last->pc);
	if (!strcmp(isa, "aarch64"))
		return flow_aarch64(last->word, last->pc);
	return (struct flow){ FLOW_INDIRECT, false, false, 0 };
}

static unsigned bytes_of(const struct execlast *last, const char *isa)
{
	return strncmp(isa, "riscv", strlen("riscv")) || (last->word & 3) == 3 ? 4 : 2;
}

/* How a CPU comes to a record: not at all, as its first one, or from its last instruction. */
enum coming { NOT, FIRST, TRAPPED, JUMPED, WENT_ON, COMINGS };

static enum coming coming(const struct execline *is, const struct execlasts *lasts)
{
	const struct execlast *last = &lasts->all[is->cpu];
	struct flow flow;

	if (!last->seen)
		/* CPUs are numbered as they begin, and many may begin at once. */
		return is->cpu <= lasts->highest + NEW_AT_ONCE ? FIRST : NOT;
	flow = flow_of(last, lasts->isa);
	if (is->pc == last->pc + bytes_of(last, lasts->isa) ||
	    (flow.has_target && is->pc == flow.target))
		return WENT_ON;
	return flow.kind == FLOW_ON || flow.has_target ? TRAPPED : JUMPED;
}

const char *execline_stop(const struct execline *is, const char *end,
			  const struct execlasts *lasts)
{
	const char *begin[COMINGS] = { NULL };
	unsigned n[COMINGS] = { 0 };
	struct execline next;
	struct joint joint;

	if (!find_joint(execline_done(is->text, end), end, &joint))
		return end;
	for (const char *at = joint.first; at <= joint.last; at++) {
		enum coming how = NOT;

		if ((*at != '0' || at == joint.last) && execline_read(at, end, &next) &&
		    next.cpu < lasts->n)
			how = coming(&next, lasts);
		begin[how] = at;
		n[how]++;
	}
	if (n[WENT_ON])
		return n[WENT_ON] == 1 ? begin[WENT_ON] : NULL;
	if (n[JUMPED])
		return n[JUMPED] == 1 ? begin[JUMPED] : NULL;
	/* A trap is as rare as a beginning. Of CPUs that begin the lowest is the first. */
	if (n[TRAPPED])
		return n[TRAPPED] + n[FIRST] == 1 ? begin[TRAPPED] : NULL;
	return begin[FIRST];
}

const char *execline_done(const char *at, const char *end)
{
	const char *quote = memchr(at, '"', (size_t)(end - at));

	return quote ? quote + 1 : end;
}

/* The number of a register; UINT64_MAX: it has none. */
static uint64_t register_of(const char *at, size_t bytes, const char *isa)
{
	char name[8];
	int number;

	if (bytes >= sizeof(name))
		return UINT64_MAX;
	memcpy(name, at, bytes);
	name[bytes] = 0;
	number = register_number(isa, name);
	/* No recording has what instructions write to those of machines. */
	return number < 0 || register_is_privileged(isa, (unsigned)number) ?
		       UINT64_MAX :
		       (uint64_t)number;
}

/* "a0 -> 0x0000000000000001" */
static const char *read_register(const char *at, const char *end, const char *isa,
				 struct wm_access *access)
{
	const char *blank = memchr(at, ' ', (size_t)(end - at));
	const char *value = blank ? log_word(blank, end, " -> ") : NULL;
	const char *behind = value ? log_address(value, end, &access->data[0]) : NULL;
	size_t digits = behind ? (size_t)(behind - value - 2) : 0;

	access->kind = WM_ACCESS_WRITTEN;
	access->address = blank ? register_of(at, (size_t)(blank - at), isa) : UINT64_MAX;
	access->size = (uint8_t)(digits / 2);
	access->has_data = true;
	/* Sizes are powers of two in what follows. */
	return (digits == DIGITS_MOST || digits == DIGITS_MOST / 2) &&
			       access->address != UINT64_MAX ?
		       behind :
		       NULL;
}

static const char *read_one(const char *at, const char *end, const char *isa,
			    struct wm_access *access)
{
	const char *load = log_word(at, end, "load, ");
	const char *store = log_word(at, end, "store, ");

	*access = (struct wm_access){ .kind = store ? WM_ACCESS_STORE : WM_ACCESS_LOAD };
	if (load || store)
		return log_address(load ? load : store, end, &access->address);
	return read_register(at, end, isa, access);
}

const char *execline_next(const char *at, const char *end, const char *isa,
			  struct wm_access *access)
{
	while ((at = memchr(at, ',', (size_t)(end - at)))) {
		const char *behind;

		at = log_blanks(at + 1, end);
		behind = read_one(at, end, isa, access);
		if (behind)
			return behind;
	}
	return NULL;
}
