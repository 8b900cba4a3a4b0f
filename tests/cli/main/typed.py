# SPDX-License-Identifier: GPL-2.0-or-later
import re, subprocess, sys

def commands(text):
    """(command, lines printed) of all blocks of code."""
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        if language:
            continue
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = part.partition("\n")
            if "<<'END'" in command:
                text, _, printed = printed.partition("END\n")
                command += "\n" + text + "END"
            yield command, [line for line in printed.splitlines() if line]

def plain(line):
    line = re.sub(r"\b[0-9a-f]{4,8}\b", "#", line)
    line = re.sub(r"[0-9][0-9,.]*", "#", line)
    return re.sub(r"\s+", " ", line).strip()

# What builds and installs is done already.
typed = [(c, p) for c, p in commands(open(sys.argv[1]).read())
         if not re.match(r"make\b|sudo |tools/", c)]
with open("typed.bash", "w") as script:
    script.write("export WAYMARK_PAGER= LC_ALL=C\n")
    for i, (command, _) in enumerate(typed):
        script.write(f"{{ {command}\n}} >$top/{i}.out 2>&1 </dev/null\necho $? >$top/{i}.status\n")
subprocess.run(["bash", "-c", "top=$PWD; . ./typed.bash"], check=False)

# Another compiler makes other code.
gcc = subprocess.run(["riscv64-linux-gnu-gcc", "-dumpversion"], capture_output=True, text=True)
same_code = gcc.stdout.startswith("12")
for i, (command, printed) in enumerate(typed):
    status = int(open(f"{i}.status").read())
    command = command.partition("\n")[0]
    output = open(f"{i}.out").read()
    lines = [plain(l) for l in output.splitlines()]
    # The first is killed by a signal, the others say that there are differences.
    wanted = 139 if "./queue" in command else \
        command.startswith(("waymark diff --by", "waymark suite report"))
    print("ok" if status == wanted else "not ok", command)
    if status != wanted:
        print(f"# exit status {status}", *output.splitlines()[:9], sep="\n# ")
    wanted = [plain(line) for line in printed]
    if wanted[-1:] == ["..."]:
        del lines[len(wanted) - 1:], wanted[-1]
    # bash has more to say of a program that was killed.
    good = len(lines) == len(wanted) and all(w in l for w, l in zip(wanted, lines))
    print("ok" if good or not same_code else "not ok", command, "prints what is written")
    if not good:
        print("#", *output.splitlines()[:20], sep="\n# ")
print("ok" if len(typed) > int(sys.argv[2]) else "not ok", sys.argv[1], "has commands")
