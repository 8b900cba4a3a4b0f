// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One page over a suite: what to look at comes first, then all programs, then the functions of
 * each program that changed. A server for continuous integration shows it as an artifact, so
 * it has no script: many of these let none run. Its colours follow the reader's system.
 *
 * Everything in it that is not markup goes through xml_text().
 */
#include "cli/suite/page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "cli/fresh_file.h"
#include "out/number.h"
#include "out/xml.h"

enum { NAMED = 20 }; /* functions of a program that are listed */

static const char style[] =
	":root{color-scheme:light dark;--paper:#f7f7f5;--sheet:#fff;--ink:#1d2126;"
	"--soft:#5a626c;--line:#e1e3e6;--faint:#eff0f2;--accent:#1f5fbf;--bad:#b3261e;"
	"--good:#1b6e3c;--more:#c2571a;--less:#1f7a8c}\n"
	"@media(prefers-color-scheme:dark){:root{--paper:#14171a;--sheet:#1b1f23;"
	"--ink:#e5e8eb;--soft:#9ca5af;--line:#2d333a;--faint:#23282e;--accent:#7aaeff;"
	"--bad:#ff8f85;--good:#7fd6a0;--more:#ffab70;--less:#6fcbdc}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,"
	"-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif;"
	"font-variant-numeric:tabular-nums}\n"
	"main{max-width:1200px;margin:0 auto;padding:24px 24px 64px}\n"
	"h1{font-size:22px;line-height:1.3;font-weight:600;margin:0 0 4px;"
	"overflow-wrap:anywhere}\n"
	"h2{font-size:17px;font-weight:600;margin:0 0 8px}\n"
	"p{margin:0 0 8px;color:var(--soft);max-width:78ch;overflow-wrap:anywhere}\n"
	"section,details{background:var(--sheet);border:1px solid var(--line);"
	"border-radius:8px;padding:18px 22px;margin:0 0 16px}\n"
	"summary{cursor:pointer;font-weight:600;overflow-wrap:anywhere}\n"
	"summary span{font-weight:400;color:var(--soft);margin-left:12px}\n"
	"details[open]>summary{margin-bottom:10px}\n"
	"ul{display:flex;flex-wrap:wrap;gap:12px;margin:18px 0 20px;padding:0;"
	"list-style:none}\n"
	"li{flex:1 1 auto;min-width:130px;background:var(--sheet);"
	"border:1px solid var(--line);border-radius:8px;padding:10px 16px;"
	"color:var(--soft);font-size:13px;white-space:nowrap}\n"
	"li b{display:block;font-size:22px;font-weight:600;line-height:1.25;"
	"color:var(--ink)}\n"
	".scroll{overflow-x:auto}\n"
	"table{border-collapse:collapse;width:100%;font-size:13.5px}\n"
	"th{text-align:left;font-weight:500;color:var(--soft);font-size:12.5px;"
	"border-bottom:1px solid var(--line);padding:4px 14px 4px 0;white-space:nowrap}\n"
	"td{padding:4px 14px 4px 0;border-bottom:1px solid var(--faint);"
	"vertical-align:baseline}\n"
	"tr:last-child>td{border-bottom:0}\n"
	"th.n,td.n{text-align:right;white-space:nowrap}\n"
	"td.name{overflow-wrap:anywhere;min-width:9em;font-family:ui-monospace,Menlo,"
	"Consolas,\"DejaVu Sans Mono\",monospace;font-size:0.87em}\n"
	"td.why{min-width:14em}\n"
	"a{color:var(--accent)}\n"
	":focus-visible{outline:2px solid var(--accent);outline-offset:2px}\n"
	".bad,li.bad b{color:var(--bad)}.good{color:var(--good)}\n"
	".more{color:var(--more)}.less{color:var(--less)}\n"
	"@media(max-width:600px){main{padding:16px 12px 48px}section,details{padding:14px}}\n"
	"@media print{details{break-inside:avoid}}\n";

/* ---- cells --------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void put_cell(FILE *out, const char *kind,
							   const char *format, ...)
{
	char text[256];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	fprintf(out, "<td%s>", kind);
	xml_text(out, text);
	fputs("</td>", out);
}

static void put_count(FILE *out, bool there, uint64_t count)
{
	char text[NUMBER_TEXT] = "";

	if (there)
		number_grouped(text, count);
	put_cell(out, " class=n", "%s", text);
}

/* "+1,200" and "+3.4 %": a sign and a colour, for not everybody sees the colour. */
static void put_change(FILE *out, uint64_t now, uint64_t was)
{
	const char *kind = now == was ? " class=n" :
			   now > was  ? " class=\"n more\"" :
					" class=\"n less\"";
	const char *sign = now == was ? "" : now > was ? "+" : "-";
	char text[NUMBER_TEXT];

	put_cell(out, kind, "%s%s", sign,
		 number_grouped(text, now > was ? now - was : was - now));
	if (was && now != was)
		put_cell(out, kind, "%+.2f %%", 100 * overview_relative(now, was));
	else
		put_cell(out, kind, "%s", now == was ? "" : "new");
}

static void put_heads(FILE *out, const char *const *heads)
{
	fputs("<div class=scroll tabindex=0><table><thead><tr>", out);
	for (; *heads; heads++)
		/* A head that begins with # is over numbers. */
		fprintf(out,
			**heads == '#' ? "<th class=n scope=col>%s</th>" :
					 "<th scope=col>%s</th>",
			*heads + (**heads == '#'));
	fputs("</tr></thead><tbody>\n", out);
}

/* ---- programs ------------------------------------------------------------ */

static void put_tile(FILE *out, const char *kind, size_t count, const char *what)
{
	char text[NUMBER_TEXT];

	fprintf(out, "<li%s><b>%s</b>%s</li>\n", kind, number_grouped(text, count), what);
}

static void put_tiles(FILE *out, const struct overview *overview)
{
	uint64_t insns = 0;

	for (size_t i = 0; i < overview->n; i++)
		insns += overview->cases[i].now.insns;
	fputs("<ul>\n", out);
	put_tile(out, "", overview->n, overview->n == 1 ? "program" : "programs");
	put_tile(out, "", overview->n - overview->n_bad, "passed");
	put_tile(out, overview->n_bad ? " class=bad" : "", overview->n_bad,
		 "did not pass");
	if (overview->against)
		put_tile(out, "", overview->n_changed, "changed");
	put_tile(out, "", insns, "instructions");
	fputs("</ul>\n", out);
}

static const char *note_of(const struct overview *overview, const struct changed_case *of)
{
	return of->chance && changed_insns(of)			    ? of->chance :
	       overview->against && of->was.status == SUITE_MISSING ? "new" :
								      "";
}

static void put_case(FILE *out, const struct overview *overview, size_t index)
{
	const struct changed_case *of = &overview->cases[index];
	bool is = of->now.status != SUITE_MISSING, was = of->was.status != SUITE_MISSING;
	const char *note = note_of(overview, of);

	fputs("<tr><td class=name>", out);
	/* Names of cases are words: they need no escapes. */
	if (index < overview->n_changed)
		fprintf(out, "<a href=\"#%s\">%s</a></td>", of->name, of->name);
	else
		fprintf(out, "%s</td>", of->name);
	put_cell(out, of->now.status == SUITE_PASSED ? " class=good" : " class=bad", "%s",
		 suite_statuses[of->now.status]);
	if (overview->against && is && was)
		put_change(out, of->now.insns, of->was.insns);
	else if (overview->against)
		fputs("<td></td><td></td>", out);
	put_count(out, is, of->now.insns);
	if (overview->against)
		put_count(out, was, of->was.insns);
	put_count(out, is, of->now.trace_bytes);
	put_cell(out, " class=n", "%.2f", (double)of->now.milliseconds / 1000);
	put_cell(out, " class=why", "%s%s%s", note, *note && *of->now.reason ? ": " : "",
		 of->now.reason);
	fputs("</tr>\n", out);
}

static void put_cases(FILE *out, const struct overview *overview)
{
	static const char *const alone[] = { "program", "status",   "#instructions",
					     "#bytes",	"#seconds", "",
					     NULL };
	static const char *const both[] = { "program",	 "status",	  "#change",
					    "#relative", "#instructions", "#were",
					    "#bytes",	 "#seconds",	  "",
					    NULL };

	fputs("<section><h2>Programs</h2>\n", out);
	put_heads(out, overview->against ? both : alone);
	for (size_t i = 0; i < overview->n; i++)
		put_case(out, overview, i);
	fputs("</tbody></table></div></section>\n", out);
}

/* ---- functions ----------------------------------------------------------- */

static void put_function(FILE *out, const struct changed_function *of)
{
	fputs("<tr><td class=name>", out);
	xml_text(out, of->name);
	fputs("</td>", out);
	put_change(out, of->insns, of->insns_were);
	put_count(out, true, of->insns);
	put_count(out, true, of->insns_were);
	put_count(out, changed_counts(of->insns, of->executions), of->executions);
	put_count(out, changed_counts(of->insns_were, of->executions_were),
		  of->executions_were);
	fputs("<td class=name>", out);
	xml_text(out, of->module);
	fputs("</td></tr>\n", out);
}

static void put_others(FILE *out, const struct changed_function *all, size_t n)
{
	char text[NUMBER_TEXT];
	uint64_t now = 0, was = 0;

	for (size_t i = 0; i < n; i++) {
		now += all[i].insns;
		was += all[i].insns_were;
	}
	fprintf(out, "<tr><td>%s others</td>", number_grouped(text, n));
	put_change(out, now, was);
	put_count(out, true, now);
	put_count(out, true, was);
	fputs("<td></td><td></td><td></td></tr>\n", out);
}

static void put_functions(FILE *out, const struct changed_functions *functions)
{
	static const char *const heads[] = { "function",      "#change", "#relative",
					     "#instructions", "#were",	 "#executions",
					     "#were",	      "module",	 NULL };
	size_t named = functions->n < NAMED ? functions->n : NAMED;

	put_heads(out, heads);
	for (size_t i = 0; i < named; i++)
		put_function(out, &functions->all[i]);
	if (functions->n > named)
		put_others(out, functions->all + named, functions->n - named);
	fputs("</tbody></table></div>", out);
}

/* The first ones are open: they changed most. */
static int put_changed(FILE *out, const struct overview *overview, size_t index,
		       struct wm_error *err)
{
	enum { OPEN = 10 };
	const struct changed_case *of = &overview->cases[index];
	struct changed_functions functions;
	int ret = changed_functions_read(&functions, overview->folder, overview->against,
					 of->name, err);
	char text[NUMBER_TEXT];

	changed_functions_sort(&functions);
	fprintf(out, "<details id=\"%s\"%s><summary>%s<span>%s function%s changed",
		of->name, index < OPEN ? " open" : "", of->name,
		number_grouped(text, functions.n), functions.n == 1 ? "" : "s");
	fputs("</span></summary>\n", out);
	if (!ret)
		put_functions(out, &functions);
	fputs("</details>\n", out);
	changed_functions_fini(&functions);
	return ret;
}

/* ---- the page ------------------------------------------------------------ */

static int put_page(FILE *out, const struct overview *overview, struct wm_error *err)
{
	int ret = 0;

	fprintf(out,
		"<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
		"<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
		"<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
		"style-src 'unsafe-inline'\">\n<title>Suite: ");
	xml_text(out, overview->folder);
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>",
		style);
	xml_text(out, overview->folder);
	fputs("</h1>\n", out);
	if (overview->against) {
		fputs("<p>Against ", out);
		xml_text(out, overview->against);
		fputs(". A count of instructions does not depend on the machine or its "
		      "load: a change is a change of the program or its input, unless it is "
		      "a matter of chance, as it is when threads wait for each other.</p>\n",
		      out);
	}
	put_tiles(out, overview);
	put_cases(out, overview);
	for (size_t i = 0; !ret && i < overview->n_changed; i++)
		ret = put_changed(out, overview, i, err);
	fputs("</main>\n</body>\n</html>\n", out);
	return ret;
}

int page_write(const struct overview *overview, const char *path, struct wm_error *err)
{
	struct fresh_file file;
	int ret = fresh_file_open(&file, path, err);

	return ret ? ret : fresh_file_end(&file, put_page(file.out, overview, err), err);
}
