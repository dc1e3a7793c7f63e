# recourse for fish: every line is judged before it runs. Put into ~/.config/fish/config.fish:  recourse init fish | source
# To remove it, delete that line and start a new shell (`recourse init fish --uninstall` says the same).
#
# Enter is bound to a function that judges the whole line and keeps a refused one in the editor. fish has nothing that stops a
# line once it was accepted, so what another binding executes is not covered: that is said when it happens.
# Names begin with __recourse_ and __rc_.

if status is-interactive; and string match -qr '^([0-2]\.|3\.[0-3]\.)' -- $version
    echo 'recourse: fish 3.4 or later is needed: lines are not judged here' >&2
else if status is-interactive
    # What a parent process may have exported is not ours.
    set -e __recourse_bin
    set -e __rc_judged
    set -e __rc_told
    set -e __rc_strict
    set -g __recourse_bin @BINARY@
    set -g __rc_judged ''
    set -g __rc_told
    set -g __rc_strict 0
    switch "$RECOURSE_SHELL_STRICT"
        case '' 0 false no
        case '*'
            set -g __rc_strict 1
    end

    # Name and text of the functions that a text names, of those that these name, and so on. fish's own are known.
    function __recourse_bodies
        set -l texts $argv[1]
        set -l seen
        set -l count 0
        printf '\0'
        while test -n "$texts"
            set -l names (string match -ra '[\w.:+-]+' -- $texts)
            set texts
            for name in $names
                contains -- $name $seen; and continue
                set -a seen $name
                string match -q '__recourse_*' -- $name; and continue
                functions -q -- $name; or continue
                string match -q "$__fish_data_dir/*" -- (functions --details -- $name); and continue
                set count (math $count + 1)
                test $count -le 64; or return
                set -l body (functions -- $name | string collect)
                printf '%s\0%s\0' $name $body
                set -a texts $body
            end
        end
    end

    # Asks the guard about a line. 0: it may run. What it prints is a text for the line.
    function __recourse_guard
        set -l code 127
        set -g __rc_text ''
        if test -x "$__recourse_bin"
            # Abbreviations are expanded only when the line is executed.
            set -g __rc_text (begin
                abbr --show
                printf '\0'
                functions -n
                printf '\0%s' $argv[1]
                __recourse_bodies $argv[1]
            end 2>/dev/null | command $__recourse_bin hook shell --shell fish --below --text)
            set code $status
            set -g __rc_text (string join \n -- $__rc_text | string collect)
        end
        switch $code
            case 0
                return 0
            case 126 130
                return 1
        end
        if not contains broken $__rc_told
            set -ga __rc_told broken
            echo "recourse: the guard failed (status $code of $__recourse_bin): lines are not judged; mend it, or take recourse out of your config.fish" >&2
        end
        return $__rc_strict
    end

    # Enter.
    function __recourse_enter
        set -l line (commandline | string collect)
        # What was searched for runs with Enter as well, and so does a line below whose completions nothing is chosen.
        if string match -qr '^\s*$' -- $line
            commandline -f execute
            return
        end
        commandline --is-valid
        if test $status = 2
            # More lines follow.
            commandline -f execute
            return
        end
        if __recourse_guard $line
            set -g __rc_judged yes
            commandline -f execute
            # As vi's own Enter does.
            if test "$fish_key_bindings" != fish_default_key_bindings -a "$fish_bind_mode" != insert
                set fish_bind_mode insert
                commandline -f repaint-mode
            end
        else
            test -z "$__rc_text"; or commandline -r -- $__rc_text
            commandline -f repaint
        end
    end

    # What did not come through Enter cannot be stopped any more.
    function __recourse_preexec --on-event fish_preexec
        if test -z "$__rc_judged"; and not contains bypassed $__rc_told
            set -ga __rc_told bypassed
            echo 'recourse: this line was not accepted with Enter and was not judged; fish cannot stop it' >&2
        end
        set -g __rc_judged ''
    end

    # What somebody else bound to Enter is left alone, and said.
    function __recourse_prompt --on-event fish_prompt
        contains unbound $__rc_told; and return
        set -l mode $fish_bind_mode
        string match -q '*__recourse_enter*' -- (bind -M "$mode" \r 2>/dev/null); and functions -q __recourse_enter; and return
        set -ga __rc_told unbound
        echo 'recourse: Enter is bound to something else: what it accepts here is not judged' >&2
    end

    for mode in default insert visual replace
        # Without the function the line is accepted all the same: nobody is locked out.
        set -l enter 'if functions -q __recourse_enter; __recourse_enter; else; commandline -f execute; end'
        bind -M $mode \r $enter
        bind -M $mode \n $enter
        # fish 4 names keys.
        string match -qr '^[0-3]\.' -- $version; or bind -M $mode enter $enter
    end
    # For `recourse doctor`: which shell, how far covered, and which process this is about.
    set -gx RECOURSE_SHELL_HOOK "fish:partial:$fish_pid"
end
