// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "mix": how many instructions of each kind ran, by class, extension and mnemonic.
 *
 * Counts are exact. Each list is cut to the KINDS_MAX most frequent kinds; "in_all" says
 * how many there are, and the page says how many it leaves out.
 *
 * Guests other than RISC-V have only the division by mnemonic: the other keys are
 * missing, and the page shows the divisions that it finds.
 */
#include "analysis/mix/mix.h"
#include "base/error.h"
#include "report/section.h"

enum { KINDS_MAX = 40 };

static void put_rows(struct json *json, const struct mix *mix, const struct kinds *kinds)
{
	json_array(json, "kinds");
	for (size_t i = 0; i < mix->n_rows && i < KINDS_MAX; i++) {
		json_array(json, NULL);
		json_string(json, NULL, kinds_name(kinds, mix->rows[i].kind));
		json_uint(json, NULL, mix->rows[i].sums.insns);
		json_uint(json, NULL, mix->rows[i].sums.compressed);
		json_close(json);
	}
	json_close(json);
}

/*
 * "in_all": the number of kinds; "kinds": [name, instructions, compressed instructions]
 * of each. Whether "compressed" means anything for this division depends on the guest.
 */
static int put_division(struct report *report, const char *key, struct kinds *kinds,
			struct wm_error *err)
{
	struct mix_ask ask = {
		.kinds = kinds,
		.per = MIX_WHOLE,
		.counts = report->counts,
		.functions = report->ask->functions,
	};
	struct mix mix;
	int ret = mix_gather(&mix, report->ask->trace, report->ask->selection, &ask, err);

	if (ret)
		return ret;
	json_object(&report->json, key);
	json_bool(&report->json, "compressed", kinds_compressed(kinds));
	json_uint(&report->json, "in_all", mix.n_rows);
	put_rows(&report->json, &mix, kinds);
	json_close(&report->json);
	mix_fini(&mix);
	return 0;
}

/*
 * WM_E_RANGE: this guest lacks the division. Its key is left out, and that is no error.
 */
static int put_by(struct report *report, const char *key, enum kinds_by by,
		  struct wm_error *err)
{
	struct kinds *kinds;
	int ret = kinds_new(&kinds, report->ask->trace, by, err);

	if (ret)
		return ret == WM_E_RANGE ? 0 : ret;
	ret = put_division(report, key, kinds, err);
	kinds_free(kinds);
	return ret;
}

int report_mix(struct report *report, struct wm_error *err)
{
	int ret;

	json_object(&report->json, "mix");
	ret = put_by(report, "class", KINDS_CLASS, err);
	if (!ret)
		ret = put_by(report, "extension", KINDS_EXTENSION, err);
	if (!ret)
		ret = put_by(report, "mnemonic", KINDS_MNEMONIC, err);
	json_close(&report->json);
	return ret;
}
