// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds out from a log of Spike which instructions user mode executed.
 *
 * A log of -l is divided by traps and by returns from them (sret, mret). After a trap a
 * kernel runs. A return leads to the epc of an earlier trap, or to the instruction after
 * it: the interrupted code continues. A return to any other address begins unknown code.
 * All code that may be of one program gets a number, a group; its instructions decide
 * what it is. Only a kernel returns from traps and accesses registers of supervisor and
 * machine mode. Only user mode makes a trap_user_ecall. The decision holds for all
 * stretches of the group, earlier ones included. A group without any such instruction is
 * user mode.
 *
 * An instruction counts when it completed. One that faulted did not: it runs again when
 * the handler returns to it, counts when the handler returns to the next one (the handler
 * emulated it), and counts when the log ends before that: it had begun, and QEMU counts
 * it, too. Example:
 *
 *	0x10: lw      0x10: trap, epc 0x10      ... sret      0x10: lw      0x12: ...
 *	0x10: lw      0x10: trap, epc 0x10      ... sret      0x14: ...
 *
 * In the first line the second lw counts. In the second line the first one does.
 *
 * A log of commits has the privilege of each instruction, but lacks those that trap,
 * ecalls among them. For these, the handler's reads of the trap's cause and address are
 * used.
 */
#include "trace/privilege.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"

enum { CAUSE_USER_CALL = 8, CAUSES = 64 }; /* interrupts have greater causes */
/*
 * Causes for which no instruction was fetched: misaligned address, access fault, page
 * fault.
 */
static const uint64_t no_insn = 1u << 0 | 1u << 1 | 1u << 12;
enum { CSR_SEPC = 0x141, CSR_SCAUSE = 0x142, CSR_MODES = 0x200 };

/* The context of one line of the log. */
struct taking {
	struct privilege *privilege;
	struct privilege_hart *hart;
	unsigned cpu;
	struct wm_error *err;
};

/* ---- instructions -------------------------------------------------------- */

static bool is_return(uint32_t word)
{
	return word == 0x10200073 || word == 0x30200073 || word == 0x70200073;
}

/*
 * The number of the CSR that the instruction accesses; 0: it accesses none. Opcode
 * SYSTEM, with a funct3 other than 0 and 4.
 */
static uint32_t csr_of(uint32_t word)
{
	return (word & 0x7f) == 0x73 && (word & 0x3000) ? word >> 20 : 0;
}

/*
 * Whether user mode cannot execute it. Bits 9:8 of a CSR's number are the privilege it
 * needs.
 */
static bool is_privileged(uint32_t word)
{
	bool fences = (word & 0xfe007fff) == 0x12000073; /* sfence.vma */

	return is_return(word) || fences || (csr_of(word) >> 8 & 3);
}

/* ---- who runs ------------------------------------------------------------ */

static int ran(const struct taking *taking, uint64_t pc, uint32_t who)
{
	return taking->privilege->ran(taking->privilege->cookie, taking->cpu, pc, who);
}

/* Starts a new group: nothing is known yet about the code that runs now. */
static int begin_new(const struct taking *taking)
{
	struct privilege *privilege = taking->privilege;

	if (!APPEND(privilege->groups, privilege->n, (uint8_t)PRIVILEGE_FIRST))
		return wm_fail_nomem(taking->err, "reading a log");
	taking->hart->who = privilege->n - 1;
	return 0;
}

/* The code that runs now is `who`: decides its group, unless it is already decided. */
static void find_to_be(const struct taking *taking, uint32_t who)
{
	struct privilege *privilege = taking->privilege;
	uint8_t *group = &privilege->groups[taking->hart->who];

	if (*group == PRIVILEGE_FIRST)
		*group = (uint8_t)who;
	taking->hart->who = who;
	privilege->user |= who == PRIVILEGE_USER;
}

static bool is_user(const struct taking *taking)
{
	return privilege_of(taking->privilege, taking->hart->who) == PRIVILEGE_USER;
}

/*
 * After a return from a trap, `pc` is the next address: selects the code that continues.
 */
static int arrive(const struct taking *taking, uint64_t pc)
{
	struct privilege_hart *hart = taking->hart;
	unsigned i = hart->n;
	int ret;

	if (!hart->returning)
		return 0;
	hart->returning = false;
	/*
	 * The latest trap that fits: handlers nest, and an inner one can have been left
	 * for good.
	 */
	while (i-- > 0) {
		const struct privilege_trap *trap = &hart->traps[i];
		uint64_t behind = pc - trap->epc;

		/* Instructions have 2 or 4 bytes. */
		if (!trap->known || (behind && behind != 2 && behind != 4))
			continue;
		hart->n = i;
		hart->who = trap->who;
		/*
		 * Returned to the next instruction: the handler emulated the one that
		 * faulted.
		 */
		ret = behind && trap->fault ? ran(taking, trap->epc, trap->who) : 0;
		break;
	}
	if (i == UINT32_MAX) /* no trap fits: i wrapped around */
		ret = begin_new(taking);
	if (is_user(taking))
		hart->n = 0; /* user mode interrupts nobody */
	return ret;
}

/* ---- traps --------------------------------------------------------------- */

static void push(const struct taking *taking, const struct privilege_trap *trap)
{
	struct privilege_hart *hart = taking->hart;

	/* The oldest goes: a handler that never returned, most likely. */
	if (hart->n == PRIVILEGE_TRAPS)
		memmove(hart->traps, hart->traps + 1, --hart->n * sizeof(*hart->traps));
	hart->traps[hart->n++] = *trap;
	hart->who = PRIVILEGE_KERNEL;
}

/* The pending instruction of -l completed: another line has followed it. */
static int settle(const struct taking *taking)
{
	struct privilege_hart *hart = taking->hart;

	if (!hart->pending)
		return 0;
	hart->pending = false;
	if (is_privileged(hart->word))
		find_to_be(taking, PRIVILEGE_KERNEL);
	hart->returning = is_return(hart->word);
	return ran(taking, hart->pc, hart->who);
}

static int take_trap(const struct taking *taking, const struct spikeline *line)
{
	struct privilege_hart *hart = taking->hart;
	/*
	 * A trap at another address than the pending instruction's comes after that one
	 * completed.
	 */
	bool before = line->trap == SPIKELINE_INTERRUPT || line->pc != hart->pc;
	bool pending = hart->pending && !before;
	bool calls = line->trap == SPIKELINE_USER_CALL || line->trap == SPIKELINE_CALL;
	int ret = pending ? 0 : settle(taking);

	hart->pending = false;
	if (!ret)
		ret = arrive(taking, line->pc);
	/*
	 * An ecall is executed by trapping, so it counts here and not when its handler
	 * returns.
	 */
	if (!ret && calls) {
		find_to_be(taking, line->trap == SPIKELINE_USER_CALL ? PRIVILEGE_USER :
								       PRIVILEGE_KERNEL);
		ret = ran(taking, line->pc, hart->who);
	}
	hart->trapped = pending;
	push(taking, &(struct privilege_trap){ .epc = line->pc,
					       .who = hart->who,
					       .known = true,
					       .fault = pending && !calls });
	return ret;
}

/* ---- logs of commits ----------------------------------------------------- */

/* User mode was left without a line: a log of commits has none for traps. */
static void leave(const struct taking *taking)
{
	push(taking, &(struct privilege_trap){ .who = PRIVILEGE_USER, .silent = true });
	memset(taking->hart->reads, 0, sizeof(taking->hart->reads));
}

/* A handler has read both the cause and the address of a silent trap. */
static int learn(const struct taking *taking, struct privilege_trap *trap,
		 const struct privilege_reads *reads)
{
	if (trap->called) /* counted by the other mode's read */
		return 0;
	trap->epc = reads->epc;
	trap->known = true;
	trap->called = reads->cause == CAUSE_USER_CALL;
	trap->fault = !trap->called && reads->cause < CAUSES &&
		      !(no_insn >> reads->cause & 1);
	return trap->called ? ran(taking, trap->epc, PRIVILEGE_USER) : 0;
}

/*
 * The first time that a mode reads the cause and the address of a trap, they are those of
 * the trap by which user mode was left, if that trap was taken to this mode. A trap that
 * came in between was taken to the other mode.
 */
static int take_read(const struct taking *taking, const struct spikeline *line)
{
	struct privilege_hart *hart = taking->hart;
	bool machine = line->privilege == 3;
	struct privilege_reads *reads = &hart->reads[machine];
	/*
	 * The machine mode's registers are CSR_MODES above the supervisor's: mepc is
	 * 0x341.
	 */
	uint32_t csr = csr_of(line->word) - (machine ? CSR_MODES : 0);
	bool reads_one = (csr == CSR_SEPC || csr == CSR_SCAUSE) && (line->word >> 7 & 31);

	if (!reads_one || !hart->n || !hart->traps[hart->n - 1].silent ||
	    (reads->has_cause && reads->has_epc))
		return 0;
	if (csr == CSR_SEPC && !reads->has_epc) {
		reads->has_epc = true;
		reads->epc = line->wrote;
	} else if (csr == CSR_SCAUSE && !reads->has_cause) {
		reads->has_cause = true;
		reads->cause = line->wrote;
	}
	return reads->has_cause && reads->has_epc ?
		       learn(taking, &hart->traps[hart->n - 1], reads) :
		       0;
}

static int take_commit(const struct taking *taking, const struct spikeline *line)
{
	struct privilege_hart *hart = taking->hart;
	/*
	 * With -l and commits together, an instruction has a line of each: it counts
	 * once.
	 */
	bool told = hart->pending && hart->pc == line->pc;
	int ret = told ? 0 : settle(taking);

	hart->pending = false;
	if (!ret)
		ret = arrive(taking, line->pc);
	if (line->privilege == 0) {
		find_to_be(taking, PRIVILEGE_USER);
		hart->n = 0;
	} else if (is_user(taking)) {
		leave(taking);
	} else {
		find_to_be(taking, PRIVILEGE_KERNEL);
	}
	if (!ret && line->privilege)
		ret = take_read(taking, line);
	hart->last = PRIVILEGE_COMMIT;
	hart->returning = is_return(line->word);
	return ret ? ret : ran(taking, line->pc, hart->who);
}

/* ---- lines --------------------------------------------------------------- */

static int take_insn(const struct taking *taking, const struct spikeline *line)
{
	struct privilege_hart *hart = taking->hart;
	int ret = settle(taking);

	if (!ret)
		ret = arrive(taking, line->pc);
	/* It counts with the next line, which shows whether it trapped. */
	hart->pending = true;
	hart->trapped = false;
	hart->pc = line->pc;
	hart->word = line->word;
	hart->last = PRIVILEGE_INSN;
	return ret;
}

/*
 * "Executed N times": the last instruction of -l ran N times in a row. Commits need no
 * such line: each has its own.
 */
static int take_times(const struct taking *taking, uint64_t times)
{
	const struct privilege_hart *hart = taking->hart;
	uint32_t who = hart->trapped ? hart->traps[hart->n - 1].who : hart->who;
	int ret = 0;

	if (hart->last != PRIVILEGE_INSN)
		return 0;
	/* The first one is counted by its own line. */
	for (uint64_t i = 1; !ret && i < times; i++)
		ret = ran(taking, hart->pc, who);
	return ret;
}

int privilege_take(struct privilege *privilege, const struct spikeline *line,
		   struct wm_error *err)
{
	unsigned cpu = (unsigned)line->cpu;
	struct privilege_hart *hart = &privilege->harts[cpu];
	struct taking taking = { privilege, hart, cpu, err };
	int ret = hart->begun ? 0 : begin_new(&taking);

	hart->begun = true;
	if (ret)
		return ret;
	switch (line->kind) {
	case SPIKELINE_INSN:
		return take_insn(&taking, line);
	case SPIKELINE_COMMIT:
		return take_commit(&taking, line);
	case SPIKELINE_TRAP:
		return take_trap(&taking, line);
	case SPIKELINE_TIMES:
		return take_times(&taking, line->times);
	default:
		return 0;
	}
}

bool privilege_has_last(const struct privilege *privilege, unsigned cpu)
{
	return privilege->harts[cpu].last != PRIVILEGE_NOTHING;
}

static int end_hart(const struct taking *taking)
{
	const struct privilege_hart *hart = taking->hart;
	int ret = settle(taking);

	/* The handlers of these faults never returned: the instruction had begun. */
	for (unsigned i = 0; !ret && i < hart->n; i++)
		if (hart->traps[i].fault)
			ret = ran(taking, hart->traps[i].epc, hart->traps[i].who);
	return ret;
}

int privilege_end(struct privilege *privilege, struct wm_error *err)
{
	int ret = 0;

	for (unsigned cpu = 0; !ret && cpu < privilege->cpus; cpu++)
		ret = end_hart(
			&(struct taking){ privilege, &privilege->harts[cpu], cpu, err });
	return ret;
}

int privilege_init(struct privilege *privilege, unsigned cpus, struct wm_error *err)
{
	privilege->harts = calloc(cpus, sizeof(*privilege->harts));
	privilege->cpus = cpus;
	privilege->groups = NULL;
	privilege->n = 0;
	privilege->user = false;
	/* The first groups are the decided ones: `who` and group agree. */
	for (unsigned who = 0; privilege->harts && who < PRIVILEGE_FIRST; who++)
		if (!APPEND(privilege->groups, privilege->n, (uint8_t)who))
			break;
	if (privilege->n == PRIVILEGE_FIRST)
		return 0;
	privilege_fini(privilege);
	return wm_fail_nomem(err, "reading a log");
}

void privilege_fini(struct privilege *privilege)
{
	free(privilege->harts);
	free(privilege->groups);
	privilege->harts = NULL;
	privilege->groups = NULL;
}
