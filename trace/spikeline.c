// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads one line of a log of Spike. Nearly all lines are of instructions, so these are
 * recognised first, by few comparisons: after "core   0: " comes either "0x", the address
 * of an instruction (-l), or a digit for the privilege and a blank (commits).
 *
 * A line that fits no pattern, or lacks a part that its kind needs, is SPIKELINE_OTHER
 * and no error: other messages stand in the same log.
 *
 * Example: "core   0: 3 0x80000010 (0x30529073) c773_mtvec 0x..." is a commit of machine
 * mode that wrote no x register, so `wrote` stays 0.
 */
#include "trace/spikeline.h"

#include "isa/registers.h"
#include "trace/logwords.h"

/* Reads " (0x00000297)"; NULL when it is not there. */
static const char *read_word(const char *at, const char *end, struct spikeline *line)
{
	uint64_t word;

	at = log_word(at, end, " (");
	at = at ? log_address(at, end, &word) : NULL;
	at = log_word(at, end, ")");
	line->word = at ? (uint32_t)word : 0;
	return at;
}

/* Reads the first register written, " x5  0x0000000000001000". Others may follow. */
static void read_written(const char *at, const char *end, struct spikeline *line)
{
	uint64_t number;

	/* log_word() passes NULL on; log_blanks() and log_decimal() do not. */
	at = log_word(at, end, " x");
	at = at ? log_decimal(log_blanks(at, end), end, &number) : NULL;
	if (at)
		log_address(log_blanks(at, end), end, &line->wrote);
}

static void read_commit(const char *at, const char *end, struct spikeline *line)
{
	/* The caller has checked the digit and the blank. */
	line->privilege = (uint32_t)(*at - '0');
	at = log_address(at + 2, end, &line->pc);
	at = at ? read_word(at, end, line) : NULL;
	if (!at)
		return;
	/* Without a word the line is no commit: `kind` stays OTHER. */
	line->kind = SPIKELINE_COMMIT;
	line->done = at;
	read_written(at, end, line);
}

static enum spikeline_trap trap_of(const char *at, const char *end)
{
	static const struct {
		const char *name;
		enum spikeline_trap trap;
	} names[] = {
		{ "trap_user_ecall,", SPIKELINE_USER_CALL },
		{ "trap_supervisor_ecall,", SPIKELINE_CALL },
		{ "trap_virtual_supervisor_ecall,", SPIKELINE_CALL },
		{ "trap_machine_ecall,", SPIKELINE_CALL },
		{ "interrupt ", SPIKELINE_INTERRUPT },
	};

	/* The comma keeps a name from matching the beginning of a longer one. */
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (log_word(at, end, names[i].name))
			return names[i].trap;
	return SPIKELINE_FAULT;
}

static void read_trap(const char *at, const char *end, struct spikeline *line)
{
	/* Names of traps have no comma: the first one is before the epc. */
	const char *comma = memchr(at, ',', (size_t)(end - at));
	const char *epc = comma ? log_word(comma, end, ", epc ") : NULL;

	if (!epc || !log_address(epc, end, &line->pc))
		return;
	line->kind = SPIKELINE_TRAP;
	line->trap = trap_of(at, end);
}

/* Reads the part after "core   0: ". */
static void read_rest(const char *at, const char *end, struct spikeline *line)
{
	const char *behind = log_address(at, end, &line->pc);

	if (behind) {
		line->kind = SPIKELINE_INSN;
		read_word(behind, end, line);
		/* Privileges are 0, 1 and 3; 2 is reserved and does no harm. */
	} else if (end - at > 2 && *at >= '0' && *at <= '3' && at[1] == ' ') {
		read_commit(at, end, line);
	} else if ((behind = log_word(at, end, "exception "))) {
		read_trap(behind, end, line);
	} else if ((behind = log_word(at, end, "Executed "))) {
		line->kind = SPIKELINE_TIMES;
		/*
		 * A count that cannot be read must not pass for 0: the reader reports it.
		 */
		if (!log_decimal(behind, end, &line->times))
			line->times = UINT64_MAX;
	}
}

void spikeline_read(const char *at, const char *end, struct spikeline *line)
{
	*line = (struct spikeline){ .kind = SPIKELINE_OTHER };
	at = log_word(at, end, "core");
	at = at ? log_decimal(log_blanks(at, end), end, &line->cpu) : NULL;
	at = log_word(at, end, ": ");
	if (at)
		read_rest(at, end, line);
}

/* ---- what a commit did ------------------------------------------------------------------ */

/* A number of Spike's, "0x" and two digits for each byte, of 64 bits at most. */
static const char *read_value(const char *at, const char *end, struct wm_access *access)
{
	const char *behind = at ? log_address(at, end, &access->data[0]) : NULL;

	if (!behind || behind - at > 18)
		return NULL;
	access->size = (uint8_t)((behind - at - 2) / 2);
	access->has_data = true;
	return behind;
}

/* "c1_fflags": a CSR by its own number. */
static uint64_t csr_of(const char *at, const char *end)
{
	uint64_t number;

	if (log_decimal(at + 1, end, &number))
		for (unsigned i = REGISTERS_FIRST_CSR; i <= REGISTER_VTYPE; i++)
			if (register_csr(i) == number)
				return i;
	return UINT64_MAX;
}

/*
 * The number of the register that a word names; UINT64_MAX: one that is not compared, a
 * vector register or another CSR, or no register.
 */
static uint64_t register_of(const char *at, const char *end)
{
	uint64_t number;

	if (*at == 'c')
		return csr_of(at, end);
	if ((*at != 'x' && *at != 'f') || !log_decimal(at + 1, end, &number) ||
	    number >= REGISTERS_FIRST_FP)
		return UINT64_MAX;
	return *at == 'f' ? REGISTERS_FIRST_FP + number : number;
}

/* " mem 0x1122 0x33", a store; without the second number a load. */
static const char *read_memory(const char *at, const char *end, struct wm_access *access)
{
	const char *behind = log_address(at, end, &access->address);
	const char *value = behind ? read_value(log_word(behind, end, " "), end, access) :
				     NULL;

	access->kind = value ? WM_ACCESS_STORE : WM_ACCESS_LOAD;
	return value ? value : behind;
}

const char *spikeline_next(const char *at, const char *end, struct wm_access *access)
{
	while ((at = log_blanks(at, end)) < end) {
		const char *memory = log_word(at, end, "mem "), *value;
		uint64_t number = register_of(at, end);

		*access = (struct wm_access){ .kind = WM_ACCESS_WRITTEN };
		if (memory)
			return read_memory(memory, end, access);
		/* The word is passed, and the number after it, if it is one. */
		while (at < end && *at != ' ')
			at++;
		at = log_blanks(at, end);
		value = read_value(at, end, access);
		access->address = number;
		if (value && number != UINT64_MAX)
			return value;
		at = value ? value : at;
	}
	return NULL;
}
