// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A log of -l is cut into stretches by traps and by returns from them (sret, mret). Behind a
 * trap a kernel runs. A return leads to the instruction at the epc of an earlier trap, or to
 * the one behind it: then the code that was interrupted goes on. A return to anywhere else
 * begins code of which nothing is known yet; each such code gets a number, a group.
 *
 * What a group is, its instructions tell. Only a kernel returns from traps, and accesses
 * registers of supervisor and machine mode. Only user mode makes a trap_user_ecall. What is
 * found out holds for all stretches of the group, earlier ones included. A group that does
 * neither is user mode: it has done nothing that user mode may not do.
 *
 * An instruction counts when it was carried out. One that faulted was not, and comes again
 * when the handler returns to it. When the handler returns behind it, it has carried it out
 * itself. When it never returns, the fault was the end, and the instruction had begun: then
 * QEMU counts it, too.
 *
 * A log of commits has the privilege of each instruction. It lacks those that trap, ecalls
 * among them. For these, the handler's reads of the trap's cause and address are used.
 */
#include "trace/privilege.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"

enum { CAUSE_USER_CALL = 8, CAUSES = 64 }; /* what is more is an interrupt */
/* Causes by which there was no instruction: misaligned, access and page faults of it. */
static const uint64_t no_insn = 1u << 0 | 1u << 1 | 1u << 12;
enum { CSR_SEPC = 0x141, CSR_SCAUSE = 0x142, CSR_MODES = 0x200 };

/* One line of one hart. */
struct taking {
	struct privilege *privilege;
	struct privilege_hart *hart;
	unsigned cpu;
	struct wm_error *err;
};

/* ---- instructions ----------------------------------------------------------------------- */

static bool is_return(uint32_t word)
{
	return word == 0x10200073 || word == 0x30200073 || word == 0x70200073;
}

/* The register that is read or written; 0: it is no such instruction. */
static uint32_t csr_of(uint32_t word)
{
	return (word & 0x7f) == 0x73 && (word & 0x3000) ? word >> 20 : 0;
}

/* Whether user mode cannot have carried it out. */
static bool is_privileged(uint32_t word)
{
	bool fences = (word & 0xfe007fff) == 0x12000073; /* sfence.vma */

	return is_return(word) || fences || (csr_of(word) >> 8 & 3);
}

/* ---- who runs ----------------------------------------------------------------------------- */

static int ran(const struct taking *taking, uint64_t pc, uint32_t who)
{
	return taking->privilege->ran(taking->privilege->cookie, taking->cpu, pc, who);
}

/* Somebody of whom nothing is known. */
static int begin_new(const struct taking *taking)
{
	struct privilege *privilege = taking->privilege;

	if (!APPEND(privilege->groups, privilege->n, (uint8_t)PRIVILEGE_FIRST))
		return wm_fail_nomem(taking->err, "reading a log");
	taking->hart->who = privilege->n - 1;
	return 0;
}

/* Whoever runs is found to be `who`. */
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

/* Behind a return, `pc` comes next. */
static int arrive(const struct taking *taking, uint64_t pc)
{
	struct privilege_hart *hart = taking->hart;
	unsigned i = hart->n;
	int ret;

	if (!hart->returning)
		return 0;
	hart->returning = false;
	while (i-- > 0) {
		const struct privilege_trap *trap = &hart->traps[i];
		uint64_t behind = pc - trap->epc;

		if (!trap->known || (behind && behind != 2 && behind != 4))
			continue;
		hart->n = i;
		hart->who = trap->who;
		ret = behind && trap->fault ? ran(taking, trap->epc, trap->who) : 0;
		break;
	}
	if (i == UINT32_MAX)
		ret = begin_new(taking);
	if (is_user(taking))
		hart->n = 0; /* nobody is interrupted by who is user mode */
	return ret;
}

/* ---- traps --------------------------------------------------------------------------------- */

static void push(const struct taking *taking, const struct privilege_trap *trap)
{
	struct privilege_hart *hart = taking->hart;

	if (hart->n == PRIVILEGE_TRAPS)
		memmove(hart->traps, hart->traps + 1, --hart->n * sizeof(*hart->traps));
	hart->traps[hart->n++] = *trap;
	hart->who = PRIVILEGE_KERNEL;
}

/* The last instruction of -l was carried out. */
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
	bool before = line->trap == SPIKELINE_INTERRUPT || line->pc != hart->pc;
	bool pending = hart->pending && !before;
	bool calls = line->trap == SPIKELINE_USER_CALL || line->trap == SPIKELINE_CALL;
	int ret = pending ? 0 : settle(taking);

	hart->pending = false;
	if (!ret)
		ret = arrive(taking, line->pc);
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

/* ---- logs of commits ------------------------------------------------------------------------ */

/* User mode was left without a line. */
static void leave(const struct taking *taking)
{
	push(taking, &(struct privilege_trap){ .who = PRIVILEGE_USER, .silent = true });
	memset(taking->hart->reads, 0, sizeof(taking->hart->reads));
}

/* A handler knows of a cause and a place. */
static int learn(const struct taking *taking, struct privilege_trap *trap,
		 const struct privilege_reads *reads)
{
	if (trap->called)
		return 0;
	trap->epc = reads->epc;
	trap->known = true;
	trap->called = reads->cause == CAUSE_USER_CALL;
	trap->fault = !trap->called && reads->cause < CAUSES &&
		      !(no_insn >> reads->cause & 1);
	return trap->called ? ran(taking, trap->epc, PRIVILEGE_USER) : 0;
}

/*
 * The first time that a mode reads the cause and the place of a trap, these are of the one
 * by which user mode was left, if it was taken to that mode. One that came on the way was
 * taken to the other.
 */
static int take_read(const struct taking *taking, const struct spikeline *line)
{
	struct privilege_hart *hart = taking->hart;
	bool machine = line->privilege == 3;
	struct privilege_reads *reads = &hart->reads[machine];
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

/* ---- lines ------------------------------------------------------------------------------------ */

static int take_insn(const struct taking *taking, const struct spikeline *line)
{
	struct privilege_hart *hart = taking->hart;
	int ret = settle(taking);

	if (!ret)
		ret = arrive(taking, line->pc);
	hart->pending = true;
	hart->trapped = false;
	hart->pc = line->pc;
	hart->word = line->word;
	hart->last = PRIVILEGE_INSN;
	return ret;
}

/* How often the last instruction of -l ran in a row: commits have a line for each. */
static int take_times(const struct taking *taking, uint64_t times)
{
	const struct privilege_hart *hart = taking->hart;
	uint32_t who = hart->trapped ? hart->traps[hart->n - 1].who : hart->who;
	int ret = 0;

	if (hart->last != PRIVILEGE_INSN)
		return 0;
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
