# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for waymark. Commands and options are those that `waymark --help` and
# `waymark COMMAND --help` list, so they are not listed here a second time; their values are what
# `waymark complete` knows of the command and of the trace on the line. The first words of plot,
# suite, import and ctl are in no list.

# Runs the program as it is typed.
function __waymark
    set -l words (commandline -opc)
    command $words[1] $argv 2>/dev/null </dev/null
end

# The command after it; behind `export FORMAT` the one whose options the format has.
function __waymark_command
    set -l words (string match -v -- '-*' (commandline -opc)[2..])
    if test "$words[1]" = export; and test -n "$words[2]"
        __waymark_know command $words[2]
    else if test -n "$words[1]"
        echo $words[1]
    end
end

# The trace on the line; without one the commands here take waymark.wmk.
function __waymark_trace
    for word in (commandline -opc)
        string match -q -- '*.wmk' $word; and echo $word; and return
    end
    echo waymark.wmk
end

function __waymark_know
    __waymark complete $argv
end

function __waymark_commands
    __waymark --help | string match -rg '^  ([a-z][a-z-]*)  +(.*)' | paste -d '\t' - -
end

# Options with their first line of text. Both forms of one are offered.
function __waymark_options
    __waymark (__waymark_command) --help |
        string match -rg '^  (-\S|  )(?:, |  )(--[a-z0-9-]+)\S* *(.*)' | while read -l short
        read -l long
        read -l text
        # What is exported has its format.
        test $long = --format; and contains export (commandline -opc); and continue
        string match -q -- '-*' $short; and printf '%s\t%s\n' $short $text
        printf '%s\t%s\n' $long $text
    end
end

# The words that an option takes, as the error about a wrong one lists them.
function __waymark_choices
    set -l words (commandline -opc)
    command $words[1] (__waymark_command) $argv[1]=' ' nothing.wmk 2>&1 </dev/null |
        string match -rg '^waymark.*: --\S+ takes (.*), not " "' |
        string replace -a ' or ' ', ' | string split ', '
end

# The last of several columns; those before it stay.
function __waymark_columns
    set -l typed (commandline -ct)
    set -l before (string match -rg '^(.*,)' -- $typed)
    set -l by (string join ' ' -- (commandline -opc) | string match -rg -- ' (?:--by[= ]|-b ?)([a-z]+)')
    printf "$before%s\n" (__waymark_know columns (__waymark_command) $by)
end

function __waymark_markers
    __waymark marks --summary --format csv (__waymark_trace) |
        string match -rg '^([0-9]+),'
end

function __waymark_places
    __waymark_know functions (__waymark_trace)
    printf 'marker:%s\n' (__waymark_markers)
end

# The option whose value is typed: the word before, or the part before "=".
function __waymark_option
    set -l words (commandline -opc)
    set -l typed (string match -rg -- '^(--[a-z-]+)=' (commandline -ct))
    test -n "$typed"; and printf '%s\n' $typed; or printf '%s\n' $words[-1]
end

function __waymark_values
    switch (__waymark_option)
        case --fields -f --sort -s
            __waymark_columns
        case --function --filter -F --notrace -N
            __waymark_know functions (__waymark_trace)
        case --from --to
            __waymark_places
        case --id
            __waymark_markers
        case --events --only
            __waymark_know events
        case --by -b
            __waymark_choices --by
        case --format --color --then --on-exit --wait --code --engine --values
            __waymark_choices (__waymark_option)
        case '*'
            return 1
    end
end

# What some commands take first.
function __waymark_first
    test (count (commandline -opc)) -eq 2; or test $argv[1] = ctl; or return
    switch $argv[1]
        case plot
            printf '%s\n' hot mix phases mem
        case suite
            printf '%s\n' run list report
        case import
            printf '%s\n' spike execlog qemu etrace ntrace
        case ctl
            printf '%s\n' status on off flush snapshot stop events
    end
end

function __waymark_complete
    set -l command (__waymark_command)
    set -l typed (commandline -ct)
    set -l prefix (string match -rg -- '^(--[a-z-]+=)' $typed)
    if test -z "$command"
        __waymark_commands
    else if set -l values (__waymark_values)
        printf "$prefix%s\n" $values
    else if string match -q -- '-*' $typed
        __waymark_options
    else
        switch $command
            case help
                __waymark_commands
            case annotate
                __waymark_know functions (__waymark_trace)
            case export
                __waymark_know formats
            case plot suite import ctl
                __waymark_first $command
        end
        __fish_complete_suffix .wmk
    end
end

complete -c waymark -f -a '(__waymark_complete)'
