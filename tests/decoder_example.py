# SPDX-License-Identifier: GPL-2.0-or-later
import re, sys
text = open(sys.argv[1]).read()
def fenced(kind):
    return re.search(f"```{kind}\n(.*?)```", text, re.S).group(1)
lines = fenced("hex").splitlines()
open("example.wmk", "wb").write(bytes.fromhex("".join(line[:47] for line in lines)))
blocks = dict(re.findall(r"^ *(\d+)  0x([0-9a-f]+) ", text, re.M))
for id in fenced("sequence").split():
    print(blocks[id])
