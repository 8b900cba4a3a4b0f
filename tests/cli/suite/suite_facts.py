# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: suite_facts.py FACT

What suite.sh checks that takes more than a line of shell.
"""
import csv
import html.parser
import json
import os
import re
import sys
import tomllib
import xml.etree.ElementTree as xml

STATUSES = {"work": "passed", "slow": "limit", "large": "limit", "status": "failed",
            "budget": "failed", "none": "error", "trace": "limit"}
REASONS = {"work": None, "slow": "max-seconds = 1", "large": "max-memory", "status": "is 3, not 0",
           "budget": "instructions exceed the budget of 100", "none": "not recorded", "trace": "max-size"}


def results():
    with open("suite.results/results.json") as file:
        told = json.load(file)
    assert told["suite"] == "a <suite>"
    for case in told["cases"]:
        name = case["name"]
        assert case["status"] == STATUSES[name], case
        assert (REASONS[name] or "") in (case["reason"] or ""), case
        # The same as in the case's own file.
        with open("suite.results/%s/result.toml" % name, "rb") as file:
            own = tomllib.load(file)
        assert own["insns"] == case["insns"] and own["status"] == case["status"]
    by = {case["name"]: case for case in told["cases"]}
    assert by["work"]["runs"] == 2 and by["work"]["fewest_insns"] == by["work"]["most_insns"]
    assert by["work"]["exit"] == 3 and by["work"]["insns"] > 300


def commands():
    with open("list") as file:
        told = {case["case"]: case["command"] for case in json.load(file)}
    assert told["large"] == "./greedy more" and told["none"] == "./missing", told


def junit():
    """By the schemas of Ant and Jenkins: elements in their order, attributes and their forms."""
    suite = xml.parse("suite.results/junit.xml").getroot()
    assert suite.tag == "testsuite" and set(suite.attrib) == {
        "name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"}
    assert suite.get("name") == "a <suite>" and suite.get("tests") == "7"
    assert suite.get("failures") == "5" and suite.get("errors") == "1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp"))
    assert suite.get("hostname")
    tags = [child.tag for child in suite]
    assert tags == ["properties", *["testcase"] * 7, "system-out", "system-err"], tags
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    assert set(cases) == set(STATUSES)
    for name, case in cases.items():
        assert set(case.attrib) == {"classname", "name", "time"}
        assert case.get("classname") == "a <suite>"
        assert re.fullmatch(r"\d+\.\d{3}", case.get("time"))
        wanted = {"passed": [], "error": ["error"]}.get(STATUSES[name], ["failure"])
        assert [child.tag for child in case] == wanted, name
        for child in case:
            assert child.get("type") == STATUSES[name]
            assert (REASONS[name] or "") in child.get("message")
    assert abs(sum(float(case.get("time")) for case in cases.values()) -
               float(suite.get("time"))) < 1e-6
    # The program's last output, without what XML cannot have; or that there is no program.
    assert cases["status"][0].text == "odd ? ? ? <&>\n", cases["status"][0].text
    assert "missing" in cases["none"][0].text


def folder():
    assert sorted(os.listdir("suite.results")) == sorted([*STATUSES, "junit.xml",
                                                          "results.json"])
    assert sorted(os.listdir("suite.results/work")) == ["functions.tsv", "result.toml",
                                                        "stderr", "stdout", "trace.wmk"]


def changed():
    """One more character of input is one more call of helper()."""
    rows = {}
    for line in open("stdout"):
        words = line.split()
        rows[words[4]] = words
    assert rows["helper"][3] == "work", rows
    was, now = (int(rows["helper"][i].replace(",", "")) for i in (2, 1))
    assert was % 3 == 0 and now == was // 3 * 4, (was, now)


def overview():
    """The one program that changed, and functions that add up to its change."""
    text = open("stdout").read()
    assert text.startswith("suite.results against old: 1 of 7 programs changed, 6 did not pass\n")
    programs, functions = (part.splitlines()[1:] for part in text.split("\n\n")[1:])
    assert programs[0].split()[:2] == ["work", "passed"] and len(programs) == 7
    change = int(programs[0].split()[2].replace(",", ""))
    rows = [line.split() for line in functions]
    assert change > 0 and sum(int(row[0].replace(",", "")) for row in rows) == change
    first = rows[0]
    # 4/3 of what it was.
    assert first[4:6] == ["work", "helper"] and first[1] == "33.33%", first


class Page(html.parser.HTMLParser):
    """Checks that elements are closed, and collects the texts of cells."""

    def __init__(self):
        super().__init__()
        self.open, self.rows, self.ids, self.links, self.other = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in ("meta",):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if "href" in attrs:
            self.links.append(attrs["href"])
        if tag in ("script", "img", "link", "iframe") or "src" in attrs:
            self.other.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data


def page():
    """The same numbers as in the tables, in a page that needs nothing else."""
    page = Page()
    page.feed(open("page.html", encoding="utf-8").read())
    assert page.open == [] and page.other == [] and page.links == ["#work"]
    assert page.ids == ["work"]
    found = {row[0]: row for row in page.rows}
    assert set(STATUSES) < set(found)
    for name, status in STATUSES.items():
        assert found[name][1] == status
    assert "is 3, not 0" in found["status"][-1]
    text = open("stdout").read()
    assert found["work"][2] in text and found["helper"][1] in text
    assert found["helper"][2] == "+33.33 %"
    # Columns of a table are those of its head.
    widths = [len(row) for row in page.rows]
    assert set(widths[:8]) == {9} and set(widths[8:]) == {8}, widths


def cases():
    rows = {row["case"]: row for row in csv.DictReader(open("stdout"))}
    assert int(rows["work"]["change"]) == int(rows["work"]["insns"]) - int(rows["work"]["was"]) > 0
    assert int(rows["budget"]["change"]) == 0


globals()[sys.argv[1]]()
