# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for waymark. Installed for bash-completion, which loads it by the
# command's name; it needs nothing of it and can be sourced alone.

# _waymark_offer WORDS: those that fit what is typed.
_waymark_offer() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

# _waymark_files [EXTENSION]: folders, and files with that extension; all without one.
_waymark_files() {
	compopt -o filenames 2>/dev/null
	if [ -n "${1-}" ]; then
		mapfile -t COMPREPLY < <(
			compgen -d -- "$cur"
			compgen -f -X "!*.$1" -- "$cur"
		)
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}

# What all commands take.
_waymark_common="-o --output -q --quiet --color --no-pager --full-names -h --help -V --version"

# _waymark_know WORD...: what the command itself knows: columns, functions, events.
_waymark_know() {
	"${COMP_WORDS[0]}" complete "$@" 2>/dev/null
}

# _waymark_given OPTION...: the value of one of these options on the line; or the trace.
_waymark_given() {
	local i option
	for ((i = 2; i < ${#COMP_WORDS[@]}; i++)); do
		for option; do
			if [ "$option" = "${COMP_WORDS[i - 1]}" ] ||
				{ [ "$option" = trace ] && [[ ${COMP_WORDS[i]} == *.wmk ]]; }; then
				echo "${COMP_WORDS[i]}"
				return
			fi
		done
	done
}

# _waymark_functions: names of the trace that is on the line.
_waymark_functions() {
	_waymark_offer "$(_waymark_know functions $(_waymark_given trace))"
}

# _waymark_markers PREFIX: ids of the markers of the trace that is on the line, or waymark.wmk.
_waymark_markers() {
	_waymark_offer "$("${COMP_WORDS[0]}" marks --summary --format csv $(_waymark_given trace) 2>/dev/null |
		sed -n 's/^\([0-9][0-9]*\),.*/'"$1"'\1/p')"
}

# _waymark_place: what --from and --to take. bash takes "marker:7" for three words.
_waymark_place() {
	if [ "$cur" = : ] && [ "$prev" = marker ]; then
		cur='' && _waymark_markers ""
	elif [ "$prev" = : ]; then
		_waymark_markers ""
	elif [ "${cur#m}" != "$cur" ] && [[ marker: == "$cur"* ]]; then
		compopt -o nospace 2>/dev/null
		_waymark_offer "marker:"
	else
		_waymark_functions
	fi
}

# _waymark_columns: those of the command's table; of a list, the last one.
_waymark_columns() {
	local before= cur=$cur
	case $cur in
	*,*) before=${cur%,*}, cur=${cur##*,} ;;
	esac
	_waymark_offer "$(_waymark_know columns "${COMP_WORDS[1]}" $(_waymark_given --by -b))"
	COMPREPLY=("${COMPREPLY[@]/#/$before}")
}

_waymark_kinds="syscall syscall_ret signal marker window vcpu_init vcpu_exit tb_translate block_version mmap munmap thread_name fork exec ctl lost clock qemu trap sched_switch"

# The command line of `record` after its own options is somebody else's.
_waymark_record() {
	local i
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [ "${COMP_WORDS[i + 1]-}" = = ]; then
			((i += 2))
			continue
		fi
		case ${COMP_WORDS[i]} in
		-o | -L | -E | --output | --sysroot | --env | --qemu | --qemu-arg | --events | --events-to | --qemu-trace) ((i++)) ;;
		--last | --on-exit | --on-marker | --wait | --code | --memory | --value | --guide | --kernel) ((i++)) ;;
		--start | --stop | --window | --max-* | --then | --only | --except) ((i++)) ;;
		--) break ;;
		-*) ;;
		*)
			_waymark_files
			return
			;;
		esac
	done
	case $prev in
	-E | --env | --qemu-arg | --last | --on-marker | --qemu-trace | --memory | --value) return ;;
	--events)
		_waymark_offer "help $(_waymark_know events)"
		return
		;;
	--events-to)
		_waymark_offer "trace log syslog ftrace ctf: usdt"
		return
		;;
	--start | --stop | --window | --max-* | --only | --except) return ;;
	--guide)
		_waymark_offer "auto none cpython hotspot v8 luajit"
		return
		;;
	--then)
		_waymark_offer "stop exit"
		return
		;;
	--code)
		_waymark_offer "trace files"
		return
		;;
	--wait)
		_waymark_offer "first all"
		return
		;;
	--on-exit)
		_waymark_offer "nonzero crash"
		return
		;;
	-L | --sysroot)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return
		;;
	-o | --output)
		_waymark_files wmk
		return
		;;
	esac
	case $cur in
	-*) _waymark_offer "-o -L -E --output --sysroot --env --qemu --qemu-arg --no-follow --precise --mem --mem-values --commits --value --guide --system --kernel --inexact --pack --no-pack --code --memory --strict --wait --last --on-exit --on-signal --on-marker --start --stop --window --max-insns --max-size --max-time --then --only --except --user-code --no-inline --events --events-to --qemu-trace -q --quiet --color --no-pager --full-names -h --help -V --version --" ;;
	*) _waymark_files ;;
	esac
}

# _waymark_trace OPTIONS [FORMATS [TABLES]]: a command that reads a trace.
_waymark_trace() {
	# The words of a place that has a colon.
	if [ "$prev" = : ] || { [ "$cur" = : ] && [ "$prev" = marker ]; }; then
		_waymark_place
		return
	fi
	case $prev in
	--format) _waymark_offer "$2" ;;
	--delay | -d | -r | --part) ;;
	--state | --after) _waymark_files wms ;;
	--from | --to) _waymark_place ;;
	--id) _waymark_markers "" ;;
	--mode) _waymark_offer "user kernel hypervisor firmware" ;;
	--thread | --process | --pid | --hart | --syscall | --count | -n | --last) ;;
	--sort | -s | --fields | -f) _waymark_columns ;;
	--function) _waymark_functions ;;
	--interval | --rows | --jobs | -j | --only-source) ;;
	--color) _waymark_offer "auto always never" ;;
	--by | -b) _waymark_offer "$3" ;;
	--predictor) _waymark_offer "bimodal gshare tage" ;;
	--btb | --returns | --l1i | --l1d | --l2 | --llc) ;;
	--model) _waymark_offer "generic u74 c910 cortex-a53 cortex-a72 skylake zen2 zen3" ;;
	--filter | -F | --notrace | -N) _waymark_functions ;;
	--depth | -D) ;;
	--per) _waymark_offer "function interval" ;;
	--hot | --phases | -k | --watch | --last-writer) ;;
	--simpoint | --symbols | --lcov | --drcov | --coverage-py | --jacoco | --simpletrace | --trace-events) _waymark_files ;;
	--only) _waymark_offer "$(_waymark_know events)" ;;
	--against) _waymark_files ;;
	-o | --output) _waymark_files ;;
	*)
		case $cur in
		-*) _waymark_offer "$1 $_waymark_common" ;;
		*) _waymark_files wmk ;;
		esac
		;;
	esac
}

# _waymark_formats COMMAND: the outside formats that its --format takes.
_waymark_formats() {
	"${COMP_WORDS[0]}" export "--list=$1" 2>/dev/null
}

# The format comes first, then what its command takes, which has a format now.
_waymark_export() {
	local i
	if [ "$COMP_CWORD" -eq 2 ]; then
		_waymark_offer "$(_waymark_know formats) --list --help"
		return
	fi
	COMP_WORDS[1]=$(_waymark_know command "${COMP_WORDS[2]}")
	_waymark_command
	for i in "${!COMPREPLY[@]}"; do
		[ "${COMPREPLY[i]}" != --format ] || unset "COMPREPLY[i]"
	done
}

# What is drawn comes first.
_waymark_plot() {
	if [ "$COMP_CWORD" -eq 2 ]; then
		_waymark_offer "hot mix phases mem --help"
	elif [ "$prev" = -o ] || [ "$prev" = --output ]; then
		_waymark_files
	else
		_waymark_trace "-o --output -n --rows --interval --script --function --symbols --symfs --thread --process --pid --mode --hart --syscall --from --to -j --jobs"
	fi
}

# Two traces, or a trace and a log.
_waymark_diff() {
	case $prev in
	--format) _waymark_offer "text csv json" ;;
	--by | -b) _waymark_offer "function line calls class mnemonic extension size method source" ;;
	-s | --sort | -f | --fields) _waymark_offer "difference a b ratio name module" ;;
	--spike | --execlog | --qemu | --symbols) _waymark_files ;;
	--values) _waymark_offer "all none addresses data registers" ;;
	-n | --count | -U | --context | --thread | --process | --from | --to | --window | -j | --jobs | --function) ;;
	*)
		case $cur in
		-*) _waymark_offer "-n --count -U --context --thread --process --symbols --symfs --from --to --values --ignore-values --may-differ --moved --lines --window -j --jobs --format --by --function --no-inline -s --sort -f --fields --spike --execlog --qemu $_waymark_common" ;;
		*) _waymark_files wmk ;;
		esac
		;;
	esac
}

# A recording that runs, then what is asked of it.
_waymark_ctl() {
	local commands="status on off flush snapshot stop events"
	case $prev in
	--format) _waymark_offer "text json" ;;
	snapshot) _waymark_files wmk ;;
	*)
		case $cur in
		-*) _waymark_offer "--format $_waymark_common" ;;
		*)
			_waymark_files wmk
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$commands" -- "$cur")
			;;
		esac
		;;
	esac
}

_waymark_import() {
	if [ "$COMP_CWORD" -eq 2 ]; then
		_waymark_offer "spike execlog qemu etrace ntrace --help"
	elif [[ $cur == -* ]]; then
		_waymark_offer "-o --output --elf --isa --symfs --code --source-bits --contexts --extended-addresses $_waymark_common"
	elif [ "$prev" = --isa ]; then
		_waymark_offer "riscv64 riscv32 aarch64 arm x86_64 i386"
	else
		_waymark_files
	fi
}

# What the command COMP_WORDS[1] takes.
_waymark_command() {
	case ${COMP_WORDS[1]} in
	record) _waymark_record ;;
	ctl) _waymark_ctl ;;
	top) _waymark_trace "-b --batch -n --count -d --delay -r --rows" ;;
	info) _waymark_trace "--symfs --format" "text json" ;;
	blocks) _waymark_trace "$listing" "$(_waymark_formats blocks)" ;;
	events)
		_waymark_trace "--only --simpletrace --trace-events $range" "$(_waymark_formats events)"
		[ "$COMP_CWORD" -gt 2 ] || [[ list != "$cur"* ]] || COMPREPLY+=(list)
		;;
	marks) _waymark_trace "--summary --id $range" "$(_waymark_formats marks)" ;;
	bytecodes) _waymark_trace "--function --operands $range" "text csv" ;;
	cfg) _waymark_trace "--by --hot --loops --method --trips $shared $query" "$(_waymark_formats cfg) text csv" trace ;;
	export) _waymark_export ;;
	plot) _waymark_plot ;;
	phases) _waymark_trace "--by --interval --phases -k --simpoint $shared ${query#--function }" "text csv $(_waymark_formats phases)" "phase trace" ;;
	insns) _waymark_trace "$listing --values --lines" "$(_waymark_formats insns)" ;;
	hot) _waymark_trace "--by --no-inline $shared $query" "text csv json" "function block line loop method bytecode source trace" ;;
	annotate)
		_waymark_trace "--no-inline $shared $query" "text csv json"
		[ "$COMP_CWORD" -gt 2 ] || [[ $cur == -* ]] || _waymark_functions
		;;
	cover)
		_waymark_trace "--by --branches --first --only-source --kernel --lcov --drcov --coverage-py --jacoco $shared $query" "text csv json $(_waymark_formats cover)" \
			"total module source function line branch run"
		;;
	mem) _waymark_trace "--watch --last-writer --by --working-set --interval --reuse --registers $shared $query" "text csv json $(_waymark_formats mem)" \
		"function line object page method source" ;;
	boot) _waymark_trace "$shared ${query#--function }" "text csv json" ;;
	mix) _waymark_trace "--by --per --interval $shared $query" "text csv json" \
		"class mnemonic extension size register trace" ;;
	bpred) _waymark_trace "--by --predictor --btb --returns $shared $query" "text csv json" \
		"function branch kind" ;;
	cache)
		case $prev in
		--cachegrind) _waymark_files ;;
		*) _waymark_trace "--by --interval --model --l1i --l1d --l2 --llc --shared-llc --cachegrind $shared $query" "text csv json" \
			"function line object method source level interval trace" ;;
		esac
		;;
	calls) _waymark_trace "--by --graph -g --tree -t --depth -D --filter -F --notrace -N --methods -m --against --no-inline $shared $query" "text csv json $(_waymark_formats calls)" trace ;;
	sql) _waymark_trace "--schema --symfs --format" "text csv json" ;;
	browse) _waymark_trace "--keys --symbols --symfs --thread --process --pid --mode --hart --syscall --from --to -j --jobs" ;;
	report) _waymark_trace "--html --no-inline --symbols --symfs --thread --process --pid --mode --hart --syscall --from --to -j --jobs" ;;
	diff) _waymark_diff ;;
	suite)
		case $prev in
		suite) _waymark_offer "run list report --help" ;;
		--engine) _waymark_offer "local slurm" ;;
		--by | -b) _waymark_offer "case function" ;;
		--format) _waymark_offer "text csv json" ;;
		--jobs | -j | --rows | -n | --only | --sbatch | --sort | -s | --fields | -f) ;;
		*)
			case $cur in
			-*) _waymark_offer "-j --jobs --engine --sbatch --only --again --against --html -b --by -n --rows -s --sort -f --fields --format $_waymark_common" ;;
			*) _waymark_files ;;
			esac
			;;
		esac
		;;
	merge)
		case $prev in
		--trace) _waymark_files wmk ;;
		*)
			case $cur in
			-*) _waymark_offer "--trace --state $_waymark_common" ;;
			*) _waymark_files wms ;;
			esac
			;;
		esac
		;;
	verify) _waymark_trace "--against --symfs" ;;
	cut) _waymark_trace "--thread --process --pid --mode --hart --syscall --from --to --symbols --symfs" ;;
	recover) _waymark_trace "--in-place --symfs" ;;
	import) _waymark_import ;;
	packets) _waymark_trace "--thread --process --symfs --format --source-bits --resync --timestamps --contexts --modes --branches" "$(_waymark_formats packets)" ;;
	setup-qemu)
		case $prev in
		-t | --target) _waymark_offer "riscv64 riscv32 aarch64 arm x86_64 i386" ;;
		*) _waymark_offer "--force --install-deps --list --packaged --system --target $_waymark_common" ;;
		esac
		;;
	doctor) _waymark_offer "$_waymark_common" ;;
	help) _waymark_offer "record ctl top info blocks insns events marks bytecodes hot annotate cover mix boot mem cfg phases export browse plot calls bpred cache sql packets import report diff merge suite cut verify recover setup-qemu doctor waymark" ;;
	esac
}

# _waymark_drop_first N: as if the first N words after the program had not been typed.
_waymark_drop_first() {
	COMP_WORDS=("${COMP_WORDS[0]}" "${COMP_WORDS[@]:$1 + 1}")
	((COMP_CWORD -= $1))
}

_waymark() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local range="--symbols --symfs --thread --process --pid --mode --hart --syscall --from --to --count -n --format"
	local query="--function --symbols --symfs --thread --process --pid --mode --hart --syscall --from --to -n -s -f -j --rows --sort --fields --jobs --format"
	local shared="--part --state --after"
	local listing="$range --last --interleave --events --no-events --bytecodes"
	# bash takes "--format=csv" for three words.
	if [ "$cur" = = ]; then
		cur=''
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	COMPREPLY=()

	# Options may stand in front of the command; "--color=never" is three words here.
	while [ "$COMP_CWORD" -gt 1 ] && [[ ${COMP_WORDS[1]} == -* ]]; do
		if [ "${COMP_WORDS[2]}" = = ] && [ "$COMP_CWORD" -le 3 ]; then
			_waymark_offer "auto always never"
			return
		fi
		[ "${COMP_WORDS[2]}" != = ] || _waymark_drop_first 2
		_waymark_drop_first 1
	done
	if [ "$COMP_CWORD" -eq 1 ]; then
		_waymark_offer "record ctl top info blocks insns events marks bytecodes hot annotate cover mix boot mem cfg phases export browse plot calls bpred cache sql packets import report diff merge suite cut verify recover setup-qemu doctor help --help --version --no-pager --full-names --quiet --color"
		return
	fi
	_waymark_command
}

complete -F _waymark waymark
