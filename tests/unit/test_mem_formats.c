// SPDX-License-Identifier: GPL-2.0-or-later
/* export/: formats of instructions with their memory accesses. */
#include "export/mem_format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct wm_access load(uint64_t address, unsigned size, uint64_t data)
{
	return (struct wm_access){ .address = address,
				   .data = { data },
				   .size = (uint8_t)size,
				   .kind = WM_ACCESS_LOAD,
				   .has_data = true };
}

static struct wm_access store(uint64_t address, unsigned size, uint64_t data)
{
	struct wm_access access = load(address, size, data);

	access.kind = WM_ACCESS_STORE;
	return access;
}

/* An instruction at 0x1000 of RV64, after which 0x2000 ran. */
static struct mem_insn insn_of(uint64_t word, const char *disas,
			       const struct wm_access *accesses, size_t n)
{
	struct mem_insn insn = {
		.address = 0x1000,
		.next = 0x2000,
		.opcode = word,
		.bytes = (word & 3) == 3 ? 4 : 2,
		.xlen = 64,
		.flow = flow_riscv((uint32_t)word, 64, 0x1000),
		.disas = disas,
		.accesses = accesses,
		.n = n,
	};
	return insn;
}

/* What a format writes; the caller's to free(). */
static char *print(const struct mem_format *format, const struct mem_insn *insn)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	format->print(out, insn);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void expect(const struct mem_format *format, const struct mem_insn *insn,
		   const char *wanted)
{
	char *text = print(format, insn);

	assert_string_equal(text, wanted);
	free(text);
}

/* ---- references ----------------------------------------------------------------------- */

static void test_references(void **state)
{
	const struct wm_access both[] = { load(0x8000, 4, 1), store(0x8000, 4, 2) };
	const struct wm_access apart[] = { load(0x8000, 4, 1), store(0x8004, 4, 2) };
	const struct wm_access wide[] = { load(0x123456789a, 16, 1) };
	/* amoadd.w a4, s0, (a1) */
	struct mem_insn insn = insn_of(0x0085a72f, "amoadd.w a4, s0, (a1)", both, 2);

	(void)state;
	expect(&mem_din, &insn, "2 1000\n0 8000\n1 8000\n");
	expect(&mem_lackey, &insn, "I  00001000,4\n M 00008000,4\n");
	expect(&mem_execlog, &insn,
	       "0, 0x1000, 0x85a72f, \"amoadd.w a4, s0, (a1)\", load, 0x00008000, "
	       "store, 0x00008000\n");
	insn.accesses = apart;
	expect(&mem_lackey, &insn, "I  00001000,4\n L 00008000,4\n S 00008004,4\n");
	insn.accesses = wide;
	insn.n = 1;
	expect(&mem_lackey, &insn, "I  00001000,4\n L 123456789a,16\n");
	insn.n = 0;
	expect(&mem_din, &insn, "2 1000\n");
}

/* ---- results -------------------------------------------------------------------------- */

static void expect_result(uint32_t word, struct wm_access access, enum riscv_file file,
			  unsigned number, uint64_t value)
{
	struct mem_insn insn = insn_of(word, "", &access, 1);
	struct riscv_loaded loaded;

	assert_true(mem_loaded(&insn, &loaded));
	assert_int_equal(loaded.file, file);
	assert_int_equal(loaded.number, number);
	assert_int_equal(loaded.value, value);
}

static void expect_none(uint32_t word, struct wm_access access)
{
	struct mem_insn insn = insn_of(word, "", &access, 1);
	struct riscv_loaded loaded;

	assert_false(mem_loaded(&insn, &loaded));
}

static void test_results(void **state)
{
	(void)state;
	/* lb, lbu, lw, lwu, ld a0, 0(a1); c.lw a0, 0(a1); c.ldsp ra, 8(sp) */
	expect_result(0x00058503, load(1, 1, 0x80), RISCV_X, 10, 0xffffffffffffff80);
	expect_result(0x0005c503, load(1, 1, 0x80), RISCV_X, 10, 0x80);
	expect_result(0x0005a503, load(4, 4, 0x80000000), RISCV_X, 10,
		      0xffffffff80000000);
	expect_result(0x0005e503, load(4, 4, 0x80000000), RISCV_X, 10, 0x80000000);
	expect_result(0x0005b503, load(8, 8, UINT64_MAX), RISCV_X, 10, UINT64_MAX);
	expect_result(0x4188, load(4, 4, 0xfffffffe), RISCV_X, 10, 0xfffffffffffffffe);
	expect_result(0x60a2, load(8, 8, 5), RISCV_X, 1, 5);
	/* flw, fld fa0, 0(a1) */
	expect_result(0x0005a507, load(4, 4, 0x3f800000), RISCV_F, 10,
		      0xffffffff3f800000);
	expect_result(0x0005b507, load(8, 8, 7), RISCV_F, 10, 7);
	/* amoadd.w, lr.d a4 */
	expect_result(0x0085a72f, load(4, 4, 0x80000000), RISCV_X, 14,
		      0xffffffff80000000);
	expect_result(0x1005b72f, load(8, 8, 9), RISCV_X, 14, 9);
	/* ld zero; sc.d; vle8.v; sd; an instruction that is none */
	expect_none(0x0005b003, load(8, 8, 9));
	expect_none(0x18e5b7af, load(8, 8, 9));
	expect_none(0x02058507, load(1, 1, 9));
	expect_none(0x00a5b023, store(8, 8, 9));
	expect_none(0x0005b503, store(8, 8, 9));
}

static void test_results_elsewhere(void **state)
{
	struct wm_access access = load(4, 4, 0x80000000);
	struct mem_insn insn = insn_of(0x0005a503, "", &access, 1);
	struct riscv_loaded loaded;

	(void)state;
	insn.xlen = 32;
	assert_true(mem_loaded(&insn, &loaded));
	assert_int_equal(loaded.value, 0x80000000);
	access.has_data = false;
	assert_false(mem_loaded(&insn, &loaded));
	access.has_data = true;
	insn.xlen = 0; /* another ISA */
	assert_false(mem_loaded(&insn, &loaded));
}

static void test_commits(void **state)
{
	const struct wm_access both[] = { load(0x8000, 8, 1), store(0x8000, 8, 2) };
	const struct wm_access byte[] = { store(0x8000, 1, 0xa) };
	/* sc.d a5, a4, (a1) */
	struct mem_insn insn = insn_of(0x18e5b7af, "", both, 2);

	(void)state;
	expect(&mem_commits, &insn,
	       "core   0: 0 0x0000000000001000 (0x18e5b7af) mem 0x0000000000008000 "
	       "0x0000000000000002\n");
	/* amoadd.d a4, s0, (a1) */
	insn.opcode = 0x0085b72f;
	expect(&mem_commits, &insn,
	       "core   0: 0 0x0000000000001000 (0x0085b72f) x14 0x0000000000000001 "
	       "mem 0x0000000000008000 mem 0x0000000000008000 0x0000000000000002\n");
	insn = insn_of(0x00a58023, "", byte, 1);
	insn.xlen = 32;
	insn.vcpu = 12;
	expect(&mem_commits, &insn,
	       "core  12: 0 0x00001000 (0x00a58023) mem 0x00008000 0x0a\n");
	insn = insn_of(0x0001, "nop", NULL, 0);
	expect(&mem_commits, &insn, "core   0: 0 0x0000000000001000 (0x0001)\n");
}

/* What record --commits has: all registers that were written, and none is guessed. */
static void test_written(void **state)
{
	const struct wm_access access = load(0x8000, 8, 0xab);
	const struct wm_access written[] = {
		{ .address = 1, .data = { 0xab }, .size = 8, .kind = WM_ACCESS_WRITTEN },
		{ .address = 42, .data = { 7 }, .size = 8, .kind = WM_ACCESS_WRITTEN },
	};
	struct mem_insn insn = insn_of(0x60a2, "ld ra, 8(sp)", &access, 1);

	(void)state;
	insn.written = written;
	insn.n_written = 2;
	insn.knows_written = true;
	expect(&mem_commits, &insn,
	       "core   0: 0 0x0000000000001000 (0x60a2) x1  0x00000000000000ab f10 "
	       "0x0000000000000007 mem 0x0000000000008000\n");
	expect(&mem_riscv_dv, &insn,
	       "0000000000001000,ld,ra:00000000000000ab;fa0:0000000000000007,,60a2,0,"
	       "\"ld ra, 8(sp)\",\"ra,sp,8\",\n");
	insn.isa = "riscv64";
	register_set_add(&insn.same, 42);
	expect(&mem_execlog, &insn,
	       "0, 0x1000, 0x60a2, \"ld ra, 8(sp)\", load, 0x00008000, ra -> "
	       "0x00000000000000ab\n");
	insn.n_written = 0;
	expect(&mem_commits, &insn,
	       "core   0: 0 0x0000000000001000 (0x60a2) mem 0x0000000000008000\n");
}

/* CSRs as Spike sorts them; vectors in execlog's lines alone. */
static void test_csrs(void **state)
{
	const struct wm_access written[] = {
		{ .address = 8, .data = { 5 }, .size = 8, .kind = WM_ACCESS_WRITTEN },
		{ .address = 32, .data = { 7 }, .size = 8, .kind = WM_ACCESS_WRITTEN },
		{ .address = 64, .data = { 1 }, .size = 8, .kind = WM_ACCESS_WRITTEN },
		{ .address = 69, .data = { 4 }, .size = 8, .kind = WM_ACCESS_WRITTEN },
		{ .address = 97, .data = { 2, 1 }, .size = 16, .kind = WM_ACCESS_WRITTEN },
	};
	struct mem_insn insn = insn_of(0x1ab57653, "made up", NULL, 0);

	(void)state;
	insn.isa = "riscv64";
	insn.written = written;
	insn.n_written = 5;
	insn.knows_written = true;
	expect(&mem_commits, &insn,
	       "core   0: 0 0x0000000000001000 (0x1ab57653) f0  0x0000000000000007 "
	       "c1_fflags 0x0000000000000001 x8  0x0000000000000005 c3104_vl "
	       "0x0000000000000004\n");
	expect(&mem_riscv_dv, &insn,
	       "0000000000001000,made,s0:0000000000000005;ft0:0000000000000007,"
	       "fflags:0000000000000001;vl:0000000000000004,1ab57653,0,\"made up\","
	       "\"up\",\n");
	expect(&mem_execlog, &insn,
	       "0, 0x1000, 0x1ab57653, \"made up\", fp -> 0x0000000000000005, ft0 -> "
	       "0x0000000000000007, v1 -> 0x00000000000000010000000000000002, fflags -> "
	       "0x0000000000000001, vl -> 0x0000000000000004\n");
}

static void test_riscv_dv(void **state)
{
	const struct wm_access access = load(0x8000, 8, 0xab);
	struct mem_insn insn = insn_of(0x60a2, "ld ra, 8(sp)", &access, 1);

	(void)state;
	expect(&mem_riscv_dv, &insn,
	       "0000000000001000,ld,ra:00000000000000ab,,60a2,0,\"ld ra, 8(sp)\","
	       "\"ra,sp,8\",\n");
	insn = insn_of(0x00b50533, "add a0, a0, a1", NULL, 0);
	expect(&mem_riscv_dv, &insn,
	       "0000000000001000,add,,,00b50533,0,\"add a0, a0, a1\",\"a0,a0,a1\",\n");
	insn = insn_of(0x8082, "ret", NULL, 0);
	expect(&mem_riscv_dv, &insn, "0000000000001000,ret,,,8082,0,\"ret\",\"\",\n");
}

/* ---- ChampSim ----------------------------------------------------------------------------- */

static void expect_registers(const struct mem_insn *insn, bool branch, bool taken,
			     const uint8_t registers[6])
{
	char *record = print(&mem_champsim, insn);

	assert_int_equal(record[8], branch);
	assert_int_equal(record[9], taken);
	assert_memory_equal(record + 10, registers, 6);
	free(record);
}

static void test_champsim_branches(void **state)
{
	struct mem_insn insn = insn_of(0x00b51463, "", NULL, 0); /* bne a0, a1, 8 */

	(void)state;
	expect_registers(&insn, true, true, (uint8_t[]){ 26, 0, 26, 74, 75, 0 });
	insn.next = 0x1004;
	expect_registers(&insn, true, false, (uint8_t[]){ 26, 0, 26, 74, 75, 0 });
	insn.next = 0;
	expect_registers(&insn, true, false, (uint8_t[]){ 26, 0, 26, 74, 75, 0 });
	insn = insn_of(0x00000463, "", NULL, 0); /* beq zero, zero, 8 */
	expect_registers(&insn, true, true, (uint8_t[]){ 26, 0, 26, 25, 0, 0 });
	insn = insn_of(0x0080006f, "", NULL, 0); /* jal zero, 8 */
	expect_registers(&insn, true, true, (uint8_t[]){ 26, 0, 26, 0, 0, 0 });
	insn = insn_of(0x008000ef, "", NULL, 0); /* jal ra, 8 */
	expect_registers(&insn, true, true, (uint8_t[]){ 26, 6, 26, 6, 0, 0 });
	insn = insn_of(0x9502, "", NULL, 0); /* c.jalr a0 */
	expect_registers(&insn, true, true, (uint8_t[]){ 26, 6, 26, 6, 74, 0 });
	insn = insn_of(0x8082, "", NULL, 0); /* ret */
	expect_registers(&insn, true, true, (uint8_t[]){ 26, 6, 6, 65, 0, 0 });
	insn = insn_of(0x8502, "", NULL, 0); /* c.jr a0 */
	expect_registers(&insn, true, true, (uint8_t[]){ 26, 0, 74, 0, 0, 0 });
	insn.xlen = 0; /* of another ISA */
	expect_registers(&insn, true, true, (uint8_t[]){ 26, 0, 64, 0, 0, 0 });
}

static void test_champsim_operands(void **state)
{
	const struct wm_access accesses[] = { store(0x10, 8, 0), load(0x20, 8, 0),
					      store(0x30, 8, 0), store(0x40, 8, 0) };
	const uint64_t wanted[6] = { 0x10, 0x30, 0x20 };
	/* fmadd.d fa0, fa1, fa2, fa3 */
	struct mem_insn insn = insn_of(0x6ac5f543, "", accesses, 4);
	char *record = print(&mem_champsim, &insn);

	(void)state;
	assert_memory_equal(record, &insn.address, 8);
	assert_memory_equal(record + 10, ((uint8_t[]){ 106, 0, 107, 108, 109, 0 }), 6);
	assert_memory_equal(record + 16, wanted, sizeof(wanted));
	free(record);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_references),
	cmocka_unit_test(test_results),
	cmocka_unit_test(test_results_elsewhere),
	cmocka_unit_test(test_commits),
	cmocka_unit_test(test_written),
	cmocka_unit_test(test_csrs),
	cmocka_unit_test(test_riscv_dv),
	cmocka_unit_test(test_champsim_branches),
	cmocka_unit_test(test_champsim_operands),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
