// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program/made/vdso: pieces are where the file is in memory, whether a table's addresses were moved
 * there or not; other files have none, and parts of one do no harm.
 */
#include "program/made/vdso.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program/made/noted.h"

#define BASE 0x7f9d23523000u

enum {
	CODE_OFF = 0x400,
	CODE_BYTES = 0x100,
	FIRST = 0x20,
	FIRST_BYTES = 12,
	LABEL = 0x40
};
enum { SYMBOLS = 4, NAMES = 64, LABEL_NAME = 40, END_NAME = 50 };

/*
 * A shared object as a loader leaves it at BASE: one segment, one table of one function and two
 * labels, behind it and at the end.
 */
struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[4]; /* none, the code, the table, its names */
	Elf64_Sym symbols[SYMBOLS];
	char names[NAMES];
	char filled[CODE_OFF - sizeof(Elf64_Ehdr) - sizeof(Elf64_Phdr) -
		    4 * sizeof(Elf64_Shdr) - SYMBOLS * sizeof(Elf64_Sym) - NAMES];
	uint8_t code[CODE_BYTES];
};

/* `type` of the table: .dynsym was moved with the file, .symtab was not. */
static struct image image_of(uint32_t type, const char *name)
{
	uint64_t moved = type == SHT_DYNSYM ? BASE : 0;
	struct image image = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_DYN,
			    .e_machine = EM_RISCV,
			    .e_version = EV_CURRENT,
			    .e_phoff = offsetof(struct image, segment),
			    .e_shoff = offsetof(struct image, sections),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1,
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = 4 },
		.segment = { .p_type = PT_LOAD,
			     .p_flags = PF_R | PF_X,
			     .p_vaddr = BASE,
			     .p_filesz = sizeof(struct image),
			     .p_memsz = sizeof(struct image) },
		.sections = { { 0 },
			      { .sh_type = SHT_PROGBITS,
				.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				.sh_addr = moved + CODE_OFF,
				.sh_offset = CODE_OFF,
				.sh_size = CODE_BYTES },
			      { .sh_type = type,
				.sh_offset = offsetof(struct image, symbols),
				.sh_size = SYMBOLS * sizeof(Elf64_Sym),
				.sh_link = 3,
				.sh_entsize = sizeof(Elf64_Sym) },
			      { .sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct image, names),
				.sh_size = NAMES } },
		.symbols = { { 0 },
			     { .st_name = 1,
			       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			       .st_shndx = 1,
			       .st_value = moved + CODE_OFF + FIRST,
			       .st_size = FIRST_BYTES },
			     { .st_name = LABEL_NAME,
			       .st_shndx = 1,
			       .st_value = moved + CODE_OFF + LABEL },
			     { .st_name = END_NAME,
			       .st_shndx = 1,
			       .st_value = moved + CODE_OFF + CODE_BYTES } },
	};

	strcpy(image.names + 1, name);
	strcpy(image.names + LABEL_NAME, "label");
	strcpy(image.names + END_NAME, "end");
	return image;
}

static void check_piece(const struct image *image)
{
	struct buf text = BUF_INIT;
	struct made made = MADE_INIT;
	bool found = false, label = false;

	assert_true(made_keep_vdso(&text, BASE, (const uint8_t *)image, sizeof(*image)));
	assert_true(made_read_notes(&made, (const char *)text.data, text.len));
	for (uint32_t i = 0; i < made.n; i++) {
		const struct made_piece *piece = &made.pieces[i];
		const char *name = (const char *)made.texts.data + piece->name;

		assert_true(piece->end <= BASE + CODE_OFF + CODE_BYTES);
		label |= !strcmp(name, "label") &&
			 piece->start == BASE + CODE_OFF + LABEL &&
			 piece->end == BASE + CODE_OFF + CODE_BYTES;
		if (strcmp(name, "__vdso_time"))
			continue;
		assert_true(piece->ran);
		assert_int_equal(piece->start, BASE + CODE_OFF + FIRST);
		assert_int_equal(piece->end, BASE + CODE_OFF + FIRST + FIRST_BYTES);
		found = true;
	}
	assert_true(found && label);
	made_fini(&made);
	buf_fini(&text);
}

static void test_either_table(void **state)
{
	struct image moved = image_of(SHT_DYNSYM, "__vdso_time");
	struct image linked = image_of(SHT_SYMTAB, "__vdso_time");

	(void)state;
	check_piece(&moved);
	check_piece(&linked);
	/* As QEMU moves them. */
	linked.sections[1].sh_addr += BASE;
	check_piece(&linked);
}

static void test_other_files(void **state)
{
	struct image other = image_of(SHT_SYMTAB, "main");
	struct buf text = BUF_INIT;

	(void)state;
	buf_put(&text, "before", 6);
	assert_false(made_keep_vdso(&text, BASE, (const uint8_t *)&other, sizeof(other)));
	assert_false(made_keep_vdso(&text, BASE, (const uint8_t *)"\177ELF", 4));
	assert_false(made_keep_vdso(&text, BASE, NULL, 0));
	assert_int_equal(text.len, 6);
	buf_fini(&text);
}

/* Each byte wrong, and each length too short: the sanitizers see what is read. */
static void test_damage(void **state)
{
	const struct image whole = image_of(SHT_DYNSYM, "__vdso_time");
	struct buf text = BUF_INIT;

	(void)state;
	for (size_t at = 0; at < offsetof(struct image, filled); at++) {
		uint8_t *part = malloc(at + 1);
		struct image damaged = whole;

		assert_non_null(part);
		memcpy(part, &whole, at);
		made_keep_vdso(&text, BASE, part, at);
		free(part);
		((uint8_t *)&damaged)[at] ^= 0xff;
		made_keep_vdso(&text, BASE, (const uint8_t *)&damaged, sizeof(damaged));
	}
	buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_either_table),
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests_name("vdso", tests, NULL, NULL);
}
