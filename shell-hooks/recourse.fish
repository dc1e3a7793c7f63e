# recourse for fish: every line is judged before it runs. Put into ~/.config/fish/config.fish:  recourse init fish | source
# To remove it, delete that line and start a new shell (`recourse init fish --uninstall` says the same).
#
# Enter is bound to a function that judges the whole line and keeps a refused one in the editor. fish has nothing that stops a
# line once it was accepted, so what another binding executes is not covered: that is said when it happens.
# Names begin with __recourse_ and __rc_, except that of one function, which nobody sees.

if status is-interactive; and string match -qr '^([0-2]\.|3\.[0-3]\.)' -- $version
    echo 'recourse: fish 3.4 or later is needed: lines are not judged here' >&2
else if status is-interactive
    # What a parent process may have exported is not ours.
    set -e __recourse_bin
    set -e __rc_judged
    set -e __rc_told
    set -e __rc_strict
    set -e __rc_alive
    set -g __recourse_bin @BINARY@
    set -g __rc_judged ''
    set -g __rc_told
    set -g __rc_strict 0
    switch "$RECOURSE_SHELL_STRICT"
        case '' 0 false no
        case '*'
            set -g __rc_strict 1
    end

    # Name and text of the functions that a text names, of those that these name, and so on; fish's own are known. Then what
    # sets the variables that all of these name, where each is one plain word.
    function __recourse_bodies
        set -l texts $argv[1]
        set -l seen
        set -l count 0
        builtin printf '\0'
        while test -n "$texts"
            set -l names (string match -ra '[\w.:+-]+' -- $texts) (string match -ra '\w+' -- $texts)
            set texts
            for name in $names
                builtin contains -- $name $seen; and continue
                set -a seen $name
                string match -q '__recourse_*' -- $name; and continue
                builtin functions -q -- $name; or continue
                string match -q "$__fish_data_dir/*" -- (builtin functions --details -- $name); and continue
                set count (builtin math $count + 1)
                test $count -le 64; or break
                set -l body (builtin functions -- $name | string collect)
                builtin printf '%s\0%s\0' $name $body
                set -a texts $body
            end
        end
        builtin printf '=\0'
        for name in $seen
            string match -qr '^[A-Za-z][A-Za-z0-9_]*$' -- $name; or continue
            builtin contains -- $name argv status pipestatus history; and continue
            set -q $name; or continue
            switch (builtin count $$name)
                case 0
                    builtin printf 'unset -v %s\n' $name
                case 1
                    string match -qr '^[\w./:@%+=, -]*$' -- $$name; and builtin printf "%s='%s'\n" $name $$name
                case '*'
                    # What the environment holds of a list is one text.
                    builtin printf '%s="${_recourse_part_of_%s}"\n' $name $name
            end
        end
        if set -q CDPATH[1]
            set -l path (string join : -- $CDPATH)
            if string match -qr '^[\w./:@%+=, -]*$' -- $path
                builtin printf "CDPATH='%s'\n" $path
            else
                builtin printf 'CDPATH="${_recourse_part_of_CDPATH}"\n'
            end
        end
    end

    # What abbreviations there are. They are a builtin's since fish 3.6, a function's before.
    if builtin --names | string match -q abbr
        function __recourse_abbr
            builtin abbr --show
        end
    else
        function __recourse_abbr
            abbr --show
        end
    end

    # Puts in place of the word at the cursor what fish would put there when it executes the line: of the abbreviations that
    # stand anywhere, match a pattern or call a function. The others are judged by what they stand for.
    # Takes all that there are.
    function __recourse_expand
        set -q argv[1]; or return
        set -l special (string match -r '^abbr -a .*(?:--position anywhere|--function|--regex).* -- .*' -- $argv)
        set -q special[1]; or return
        for turn in 1 2 3 4 5 6 7 8
            set -l token (builtin commandline -t | string collect)
            test -n "$token"; or return
            set -l before (builtin commandline -tc | string collect)
            test "$before" = "$token"; or return
            set -l found 0
            for entry in $special
                # As fish itself quoted it.
                set -l words
                eval "set words $entry"
                set -l at (builtin contains -i -- -- $words); or continue
                set -l name $words[(builtin math $at + 1)]
                set -l text $words[(builtin math $at + 2)..]
                set -l pattern
                set -l function
                set -l anywhere 0
                set -l marker
                for index in 2 3 4 5 6 7 8 9 10 11 12
                    test $index -lt $at; or break
                    set -l next (builtin math $index + 1)
                    switch "$words[$index]"
                        case --regex
                            set pattern $words[$next]
                        case --function
                            set function $words[$next]
                        case --position
                            test "$words[$next]" = anywhere; and set anywhere 1
                        case '--set-cursor=*'
                            set marker (string replace -- '--set-cursor=' '' $words[$index])
                    end
                end
                if test -n "$pattern"
                    string match -qr -- "^(?:$pattern)\$" $token; or continue
                else
                    test "$name" = "$token"; or continue
                end
                if test $anywhere = 0
                    # Only where a command stands.
                    set -l line (builtin commandline -cp | string collect)
                    string match -qr '^\s*(?:\w+=\S*\s+)*\S+$' -- $line; or continue
                end
                if test -n "$function"
                    set text ($function $token | string collect); or continue
                end
                test -z "$marker"; or set text (string replace -- $marker '' $text)
                builtin commandline -t -- $text
                set found 1
                break
            end
            test $found = 1; or return
        end
    end

    # Becomes the guard. fish waits for nothing for a limited time, so what minds a guard that gives no sign of life is started
    # beside it; the guard stops that at once. One that answered minds itself, until its file becomes another.
    set -g __rc_start '{ trap "kill \$s" TERM; sleep 2 & s=$!; wait $s && kill -0 $$ || exit
        echo "recourse: still looking (Ctrl-C drops the line)" >&3; sleep 8 & s=$!; wait $s && kill -PIPE $$; } </dev/null >/dev/null 3>&2 2>&1 &
        exec "$@" --watcher $!'

    # Asks the guard about a line, with the abbreviations behind it. 0: it may run. What it prints is a text for the line.
    function __recourse_guard
        set -l code 127
        set -g __rc_text ''
        if test -x "$__recourse_bin"
            set -l call $__recourse_bin
            set -l file (builtin path mtime -- $__recourse_bin 2>/dev/null)
            if test -z "$file" -o "$file" != "$__rc_alive"
                set call /bin/sh -c $__rc_start sh $__recourse_bin
            end
            # Abbreviations are expanded only when the line is executed.
            set -g __rc_text (begin
                builtin printf '%s\n' $argv[2..]
                builtin printf '\0'
                builtin functions -n
                builtin printf '\0%s' $argv[1]
                __recourse_bodies $argv[1]
            end 2>/dev/null | $call hook shell --shell fish --below --text)
            set code $status
            set -g __rc_alive
            builtin contains $code 0 126 130; and set -g __rc_alive $file
            set -g __rc_text (string join \n -- $__rc_text | string collect)
        end
        switch $code
            case 0
                return 0
            case 126 130
                return 1
        end
        if not builtin contains broken $__rc_told
            set -ga __rc_told broken
            set -l why "failed (status $code of $__recourse_bin)"
            test $code = 141; and set why "gave no answer in 10 seconds ($__recourse_bin)"
            builtin echo "recourse: the guard $why: lines are not judged; mend it, or take recourse out of your config.fish" >&2
        else if test $__rc_strict = 1
            # What is refused is never swallowed in silence.
            builtin echo 'recourse: refused: it was not run, because lines are not judged' >&2
        end
        return $__rc_strict
    end

    # fish puts the status back after everything that a key calls, so what shall leave one has to be executed: a function whose
    # name takes no room. The line stands in the editor again, and the prompt that was shown for this is wiped.
    set -g __rc_unseen \u2060
    function $__rc_unseen
        if test $__rc_wipe = 1
            builtin printf '\e8\e[J'
        end
        builtin commandline -r -- $__rc_back
        builtin commandline -C -- $__rc_cursor
        return 130
    end

    # Leaves a text in the editor with the cursor in it, and 130 in $status. Third comes what stood there.
    function __recourse_leave
        set -g __rc_back $argv[1]
        set -g __rc_cursor $argv[2]
        # fish draws the prompt from where it believes to be, which is that many rows further down, as it does in its own
        # functions that print something below the line.
        set -l prompt (fish_prompt 2>/dev/null)
        set -l down (builtin math (builtin count $prompt) - 1)
        set -g __rc_wipe 0
        if not builtin contains -- "$TERM" '' dumb
            set -g __rc_wipe 1
            set -l width (builtin math 8 + 0(string length --visible -- $prompt[-1] | string match -r '^\d+'))
            for text in (string split \n -- $argv[3])
                set down (builtin math "$down + 1 + floor(("(string length --visible -- $text)" + $width) / $COLUMNS)")
            end
            # Nothing scrolls between here and the wiping.
            set -l room (builtin math $down + 2)
            builtin printf '\r%s\e[%dA\e7' (string repeat -N -n $room \n | string collect -N) $room
        end
        test $down -lt 1; or string repeat -N -n $down \n
        set -g __rc_judged yes
        # What begins with a blank is in no history.
        builtin commandline -r -- " $__rc_unseen"
        builtin commandline -f repaint execute
    end

    # Enter.
    function __recourse_enter
        if not builtin string match -q fish -- (builtin status current-command); and not builtin status is-breakpoint
            # An answer to `read` is no command.
            builtin commandline -f execute
            return
        end
        set -l abbreviations (__recourse_abbr 2>/dev/null)
        __recourse_expand $abbreviations
        set -l line (builtin commandline | string collect)
        # What was searched for runs with Enter as well, and so does a line below whose completions nothing is chosen.
        if string match -qr '^\s*$' -- $line
            builtin commandline -f execute
            return
        end
        builtin commandline --is-valid
        if test $status = 2
            # More lines follow.
            builtin commandline -f execute
            return
        end
        if __recourse_guard $line $abbreviations
            set -g __rc_judged yes
            builtin commandline -f execute
            # As vi's own Enter does.
            if test "$fish_key_bindings" != fish_default_key_bindings -a "$fish_bind_mode" != insert
                set fish_bind_mode insert
                builtin commandline -f repaint-mode
            end
        else if test -n "$__rc_text"
            __recourse_leave $__rc_text (string length -- "$__rc_text") $line
        else
            __recourse_leave $line (builtin commandline -C) $line
        end
    end

    # What did not come through Enter cannot be stopped any more.
    function __recourse_preexec --on-event fish_preexec
        if test -z "$__rc_judged"; and not builtin contains bypassed $__rc_told
            set -ga __rc_told bypassed
            builtin echo 'recourse: this line was not accepted with Enter and was not judged; fish cannot stop it' >&2
        end
        set -g __rc_judged ''
    end

    # What somebody else bound to Enter is left alone, and said.
    function __recourse_prompt --on-event fish_prompt
        builtin contains unbound $__rc_told; and return
        set -l mode $fish_bind_mode
        string match -q '*__recourse_enter*' -- (builtin bind -M "$mode" \r 2>/dev/null); and builtin functions -q __recourse_enter; and return
        set -ga __rc_told unbound
        builtin echo 'recourse: Enter is bound to something else: what it accepts here is not judged' >&2
    end

    for mode in default insert visual replace
        # Without the function the line is accepted all the same: nobody is locked out.
        set -l enter 'if builtin functions -q __recourse_enter; __recourse_enter; else; builtin commandline -f execute; end'
        builtin bind -M $mode \r $enter
        builtin bind -M $mode \n $enter
        # fish 4 names keys.
        string match -qr '^[0-3]\.' -- $version; or builtin bind -M $mode enter $enter
    end
    # For `recourse doctor`: which shell, how far covered, and which process this is about.
    set -gx RECOURSE_SHELL_HOOK "fish:partial:$fish_pid"
end
