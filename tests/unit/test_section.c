// SPDX-License-Identifier: GPL-2.0-or-later
/* format/section: headers and the trailer, byte by byte; what is refused and how. */
#include "format/section.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <xxhash.h>

#include <cmocka.h>

static void test_file_header(void **state)
{
	uint8_t bytes[FILE_HEADER_BYTES];
	uint32_t features;

	(void)state;
	file_header_put(bytes, 0);
	assert_memory_equal(bytes, "\x89WMK\r\n\x1a\n\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
			    24);
	assert_int_equal(file_header_get(bytes, &features, NULL), 0);
	for (unsigned bit = 0; bit < 8 * sizeof(bytes); bit++) {
		int ret;

		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ret = file_header_get(bytes, &features, NULL);
		assert_int_equal(ret, bit < 64 ? WM_E_FORMAT : WM_E_DAMAGED);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

/* A header with one field changed and a checksum that fits. */
static int header_with(unsigned off, uint32_t value)
{
	uint8_t bytes[FILE_HEADER_BYTES];
	uint32_t features;

	file_header_put(bytes, 0);
	put_u32(bytes + off, value);
	put_u64(bytes + 24, XXH3_64bits(bytes, 24));
	return file_header_get(bytes, &features, NULL);
}

static void test_features(void **state)
{
	(void)state;
	assert_int_equal(header_with(8, FILE_VERSION), 0);
	assert_int_equal(header_with(8, FILE_VERSION + 1), WM_E_NEWER);
	assert_int_equal(header_with(8, 0), WM_E_NEWER);
	assert_int_equal(header_with(12, FILE_SPACES), 0);
	assert_int_equal(header_with(12, FILE_FEATURES + 1), WM_E_NEWER);
	assert_int_equal(header_with(12, FILE_FEATURES | 0x100), WM_E_NEWER);
	assert_int_equal(header_with(12, 0x80000000), WM_E_NEWER);
	assert_int_equal(header_with(16, UINT32_MAX), 0); /* compatible features */
	assert_int_equal(header_with(20, UINT32_MAX), 0); /* reserved */
}

static void test_trailer(void **state)
{
	static const uint64_t offs[] = { 0, 32, 1ull << 40, UINT64_MAX };
	uint8_t bytes[FILE_TRAILER_BYTES];
	uint64_t off;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		file_trailer_put(bytes, offs[i]);
		assert_true(file_trailer_get(bytes, &off));
		assert_int_equal(off, offs[i]);
		for (unsigned bit = 0; bit < 8 * sizeof(bytes); bit++) {
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_false(file_trailer_get(bytes, &off));
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
	}
	assert_memory_equal(
		bytes, "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0WMKEND\r\n", 24);
}

static bool sizes_good(uint32_t flags, uint64_t stored, uint64_t raw)
{
	uint8_t bytes[SECTION_HEADER_BYTES] = { 0 };
	struct section section;
	uint64_t checksum;

	put_u64(put_u64(put_u32(bytes + 4, flags), stored), raw);
	return section_header_get(bytes, &section, &checksum);
}

static void test_sizes(void **state)
{
	(void)state;
	assert_true(sizes_good(0, 0, 0));
	assert_true(sizes_good(0, SECTION_RAW_MAX, SECTION_RAW_MAX));
	assert_false(sizes_good(0, SECTION_RAW_MAX + 1, SECTION_RAW_MAX + 1));
	assert_false(sizes_good(0, 1, 2));
	assert_false(sizes_good(0, 2, 1));
	assert_true(sizes_good(SECTION_ZSTD, 1, 2));
	assert_true(sizes_good(SECTION_ZSTD, 2, 2));
	assert_false(sizes_good(SECTION_ZSTD, 3, 2));
	assert_false(sizes_good(SECTION_ZSTD, 1, SECTION_RAW_MAX + 1));
	assert_false(sizes_good(SECTION_ZSTD, UINT64_MAX, UINT64_MAX));
	for (uint32_t flag = 2; flag; flag <<= 1)
		assert_false(sizes_good(flag, 1, 1));
}

static void test_checksum(void **state)
{
	static const uint8_t payload[] = "payload";
	struct section section = { SECTION_META, SECTION_ZSTD, sizeof(payload), 100, 0 };
	uint8_t bytes[SECTION_HEADER_BYTES];
	struct section got;
	uint64_t checksum;

	(void)state;
	section_header_put(bytes, &section, payload);
	assert_memory_equal(bytes, "META\1\0\0\0\x08\0\0\0\0\0\0\0\x64\0\0\0\0\0\0\0",
			    24);
	assert_true(section_header_get(bytes, &got, &checksum));
	assert_int_equal(got.type, section.type);
	assert_int_equal(got.flags, section.flags);
	assert_int_equal(got.stored, section.stored);
	assert_int_equal(got.raw, section.raw);
	assert_int_equal(checksum, section_checksum(bytes, payload, sizeof(payload)));
	for (unsigned bit = 0; bit < 8 * 24; bit++) { /* the header's own bytes count */
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_not_equal(checksum,
				     section_checksum(bytes, payload, sizeof(payload)));
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_int_not_equal(checksum,
			     section_checksum(bytes, payload, sizeof(payload) - 1));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_file_header), cmocka_unit_test(test_features),
	cmocka_unit_test(test_trailer),	    cmocka_unit_test(test_sizes),
	cmocka_unit_test(test_checksum),
};

int main(void)
{
	return cmocka_run_group_tests_name("section", tests, NULL, NULL);
}
