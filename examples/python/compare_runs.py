#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare_runs.py OLD NEW [N]: which functions cost more in a new run than in an old one.

The N (20) functions whose instruction counts differ most, with pandas. The programs may be
two builds with different names: the module of either is called (program).
"""

from __future__ import annotations

import os
import sys
from typing import Any

import pandas
import waymark


def functions(path: str) -> Any:
    """The instructions of each function, by module and name."""
    with waymark.open(path) as trace:
        table = trace.ask("hot").to_pandas()
        program = os.path.basename(trace.meta["command"].split()[0])
    table["module"] = table["module"].replace(program, "(program)")
    return table.groupby(["module", "function"], dropna=False)["insns"].sum()


def main(old: str, new: str, n: int = 20) -> None:
    table = pandas.DataFrame({"old": functions(old), "new": functions(new)})
    table = table.fillna(0).astype("int64")
    table["change"] = table["new"] - table["old"]
    table = table[table["change"] != 0]
    if table.empty:
        print("every function executed as many instructions in both runs")
        return
    order = table["change"].abs().sort_values(ascending=False, kind="stable").index
    print(table.loc[order].head(n).reset_index().to_string(index=False))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
