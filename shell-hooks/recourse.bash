# recourse for bash: every line is judged before it runs. Put into ~/.bashrc:  eval "$(recourse init bash)"
# To remove it, delete that line and start a new shell (`recourse init bash --uninstall` says the same).
#
# bash 4.4 and later: after a line was read, and before anything of it runs, bash expands PS0. The arithmetic in ours runs
# in this shell and keeps the verdict; the guard inside it sends SIGINT when it refuses, which drops the whole line. Where
# INT is trapped or ignored, an expansion that fails drops it. A DEBUG trap stands behind both: it judges what runs at the
# prompt without a verdict (a key's command, an editor's text, what was added to PROMPT_COMMAND), and puts back what was
# overwritten. Older bash has no PS0 and only the trap.
# Names begin with __recourse_ and __rc_, locals too: the functions of this file must hide no variable that a line names.
# Words are quoted or called through `builtin`, because aliases, functions and IFS are the user's.
# For a line that runs nothing here starts a program except the guard itself.

\builtin shopt -q expand_aliases && __rc_alias=-s || __rc_alias=-u
\builtin shopt -u expand_aliases

if [[ $- == *i* && -n ${BASH_VERSION-} ]]; then

# What a parent process may have exported is not ours.
builtin unset -v __recourse_bin __rc_bits __rc_deny __rc_act __rc_hide __rc_seen __rc_told __rc_line __rc_stop __rc_at __rc_control \
  __rc_ignore __rc_none __rc_old __rc_trace __rc_set __rc_heal __rc_first __rc_strict __rc_put __rc_text __rc_pre __rc_last \
  __rc_rest __rc_when __rc_lost __rc_status __rc_trap __rc_size __rc_off __rc_known __rc_head __rc_tail __rc_ps0 __rc_editor __rc_functrace __rc_changed __rc_since \
  __rc_typed __rc_keys __rc_under
__recourse_bin=@BINARY@
__rc_none='' __rc_bits=64 __rc_deny=0 __rc_act=8 __rc_hide=0 __rc_seen=0 __rc_told=0 __rc_stop=0 __rc_at=0 __rc_control=''
__rc_put=() __rc_line=(- '') __rc_text='' __rc_pre=0 __rc_last=0 __rc_rest=0 __rc_when=0 __rc_lost=0 __rc_trap=0 __rc_status=0
__rc_ignore='' __rc_size='' __rc_off='' __rc_trace='' __rc_set='' __rc_first=1 __rc_old=0 __rc_strict=0 __rc_editor=0 __rc_functrace=0 __rc_changed=0 __rc_since=0 __rc_typed='' __rc_under=''
__rc_keys=()
__rc_known=()
# The first and the last of PROMPT_COMMAND.
__rc_head='__recourse_precmd;((__rc_seen))||\builtin eval "$__rc_heal"'
__rc_tail='__recourse_arm;((__rc_last=HISTCMD,__rc_pre=1,__rc_act=8|__rc_hide))'
__rc_heal='__recourse_wrap "$(\builtin trap -p DEBUG)";\builtin eval "$__rc_set"'
# No exclamation mark: in POSIX mode it is the number of the history there.
__rc_ps0='${__rc_none:$((__rc_bits=$(__recourse_guard line "$@")+0,__rc_lost=__rc_strict&(__rc_bits>>6&1^1),__rc_deny=__rc_bits&1|__rc_lost,__rc_act=__rc_bits&4|__rc_deny|__rc_hide|__rc_trap<<4|(__rc_pre^1)<<5,__rc_pre=0,__rc_last=HISTCMD,__rc_told|=__rc_bits>>5&1,__rc_at=HISTCMD-1,__rc_stop=__rc_bits>>7&1|__rc_lost,__rc_since=${EPOCHSECONDS-0},__rc_seen=0)):0}${__rc_none:${__rc_line[__rc_stop]:?it was not run}0:0}'
case ${RECOURSE_SHELL_STRICT-} in '' | 0 | false | no) ;; *) __rc_strict=1 ;; esac
((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || __rc_old=1
builtin shopt -q promptvars || __rc_old=1

# Fails where a function of the user's stands in place of `builtin`, through which everything here is called.
__recourse_whole() {
  builtin return 0
  \return 1
}

# A restricted shell lets nothing be redirected.
__recourse_say() { if [[ $- == *r* ]]; then builtin printf 'recourse: %s\n' "$1"; else builtin printf 'recourse: %s\n' "$1" >&2; fi; }

# Whether a variable cannot be set. Before each prompt this is asked, so where bash can tell it without a subshell it does.
if ((BASH_VERSINFO[0] >= 5)); then
  builtin eval '__recourse_fixed() { [[ ${!1+set} && ${!1@a} == *r* ]] || [[ -z ${!1+set} && $(builtin declare -p -- "$1" 2>/dev/null) == declare\ -*([!\ ])r* ]]; }'
else
  __recourse_fixed() { [[ $(builtin declare -p -- "$1" 2>/dev/null) == declare\ -*([!\ ])r* ]]; }
fi

# Feeds the guard: options, aliases, names of functions and the line, which is what history holds of it, or a text.
__recourse_line() {
  builtin printf '%s:%s\0' "$-" "${BASHOPTS-}${CDPATH:+:cdpath_set}"
  builtin alias -p
  builtin printf '\0'
  builtin declare -F
  builtin printf '\0'
  if [[ $1 == line ]]; then __recourse_last; else builtin printf '%s' "$2"; fi
}

# The last entry of history with its number. Where the form of times cannot be taken away, without.
__recourse_last() {
  if [[ -z ${HISTTIMEFORMAT+set} ]]; then
    builtin history 1
  elif __recourse_fixed HISTTIMEFORMAT; then
    __rc_one=$(builtin fc -ln -0)
    builtin printf '    1  %s\n' "${__rc_one#$'\t'[ *]}"
  else
    HISTTIMEFORMAT='' builtin history 1
  fi
}

# Name and text of the functions that a text names, of those that these name, and so on; then what sets the variables that
# all of these name, as they are now; and an empty name. First comes what the guard got.
__recourse_bodies() {
  builtin local __rc_text __rc_name __rc_body __rc_count=0 __rc_args __rc_dir
  builtin local -A __rc_names
  __rc_names=()
  if [[ $1 == line ]]; then
    # The guard said which words the line holds.
    __rc_text=$__rc_sum
    [[ $__rc_text != 0 ]] || __rc_text=$(__recourse_last)
  else
    __rc_text=$2
    builtin shift
  fi
  builtin shift
  __rc_args=("$@")
  builtin set -f
  while [[ -n $__rc_text ]]; do
    # Nothing but names and blanks is left of it.
    builtin eval "builtin set -- ${__rc_text//[^[:alnum:]_.:+-]/ } ${__rc_text//[^[:alnum:]_]/ }"
    __rc_text=''
    for __rc_name; do
      [[ -z ${__rc_names[$__rc_name]-} ]] || continue
      __rc_names[$__rc_name]=1
      __rc_text+=" ${BASH_ALIASES[$__rc_name]-}"
      [[ $__rc_name != __recourse_* ]] && builtin declare -F -- "$__rc_name" >/dev/null || continue
      ((++__rc_count <= 64)) || continue
      __rc_body=$(builtin declare -f -- "$__rc_name")
      builtin printf '%s\0%s\0' "$__rc_name" "$__rc_body"
      __rc_text+=" $__rc_body"
    done
    __rc_text=${__rc_text//$'\n'/ }
    [[ $__rc_text == *[![:space:]]* ]] || break
  done
  builtin printf '=\0'
  [[ ${IFS-unset} == $' \t\n' ]] || __rc_names[IFS]=1
  [[ -z ${CDPATH-} ]] || __rc_names[CDPATH]=1
  for __rc_name in "${!__rc_names[@]}"; do
    [[ $__rc_name == [[:alpha:]_]* && $__rc_name != *[![:alnum:]_]* && $__rc_name != __rc_* && $__rc_name != PROMPT_COMMAND && $__rc_name != PS0 ]] || continue
    builtin declare -p -- "$__rc_name" 2>/dev/null || builtin printf 'unset -v %s\n' "$__rc_name"
  done
  builtin printf 'set --'
  ((${#__rc_args[@]} == 0)) || builtin printf ' %q' "${__rc_args[@]}"
  builtin printf '\n'
  for ((__rc_count = ${#DIRSTACK[@]} - 1; __rc_count > 0; __rc_count--)); do
    __rc_dir=${DIRSTACK[__rc_count]}
    [[ $__rc_dir != '~' && $__rc_dir != '~/'* ]] || __rc_dir=$HOME${__rc_dir#'~'}
    builtin printf 'pushd -n %q\n' "$__rc_dir"
  done
  # Last, so that what `$_` is comes of it.
  builtin printf ': %q\n' "$__rc_under"
  builtin printf '\0\0'
}

# Whether history may not hold the line that is about to run. What is kept out of it on purpose is lifted while a line is
# typed. Where that cannot be done, the number of the history tells: what did not raise it was not added.
__recourse_unseen() {
  [[ -o history && ${HISTSIZE-1} == *[!0]* ]] && builtin shopt -q cmdhist && builtin history 1 >/dev/null 2>&1 || builtin return 0
  if ((__rc_last > 0 && HISTCMD + __rc_old > __rc_last)); then builtin return 1; fi
  # While a command runs bash counts one less. A repeated line is added to nothing, or takes the place of an earlier one.
  [[ -n ${HISTIGNORE-} || ${HISTCONTROL-} == *ignorespace* || ${HISTCONTROL-} == *ignoreboth* ]] ||
    ((__rc_last > 0)) && [[ ${HISTCONTROL-} != *ignoredups* && ${HISTCONTROL-} != *erasedups* ]]
}

# Starts the guard and takes its answer: status in __rc_code, the sum in __rc_sum. It may first want to know what functions
# do that the line names, and what its variables are. One that says nothing for 3 seconds is spoken of, and after 10 it is
# given up.
if ((BASH_VERSINFO[0] >= 4)); then
  # Older bash cannot even read it.
  builtin eval '__recourse_round() {
    # bash warns of a coprocess of the user own, which is none of this subshell.
    { coproc __rc_c { builtin exec "$__recourse_bin" hook shell --shell bash --text --state --answer "${__rc_words[@]}" 2>&"$__rc_err" {__rc_err}>&-; }; } {__rc_err}>&2 2>/dev/null
    builtin eval "exec $__rc_err>&-"
    # Only this word by itself leaves descriptors open; a function of that name is not ours, and this is a subshell.
    builtin unset -f exec
    { exec 8<&"${__rc_c[0]}" 9>&"${__rc_c[1]}" && builtin eval "exec ${__rc_c[1]}>&- ${__rc_c[0]}<&-"; } 2>/dev/null
    { __recourse_line "$@"; builtin printf "\\0"; } 2>/dev/null >&9
    __recourse_answer
    [[ $__rc_code == 3 ]] || builtin return
    __recourse_bodies "$@" 2>/dev/null >&9
    exec 9>&-
    __recourse_answer
  }'
fi

# Without a name nothing is taken from what is read, whatever IFS holds.
__recourse_answer() {
  builtin local REPLY='' __rc_left=3 __rc_got
  while builtin :; do
    if ((__rc_left)); then builtin read -r -t "$__rc_left" -u 8; else builtin read -r -u 8; fi
    __rc_got=$?
    if ((__rc_got > 128)); then
      if ((__rc_left == 3)); then
        __recourse_say 'still looking (Ctrl-C drops the line)'
        __rc_left=7
        builtin continue
      fi
      builtin kill -KILL "$__rc_c_PID" 2>/dev/null
      __rc_code=hung
      builtin return
    elif ((__rc_got)); then
      builtin wait "$__rc_c_PID" 2>/dev/null
      __rc_code=$?
      # It ended without an answer, whatever it says.
      [[ $__rc_code != [03] && $__rc_code != 126 && $__rc_code != 130 ]] || __rc_code=125
      builtin return
    fi
    # It is alive, and a person may be asked.
    [[ $REPLY == '?' ]] || builtin break
    __rc_left=0
  done
  __rc_code=$REPLY
  builtin read -r -u 8
  __rc_sum=${REPLY:-0}
}

# Runs in a subshell. Prints a sum of 1: refused, 2: begins with a blank, 4: could not be seen whole, 16: __rc_put
# holds a text for the line, 32: the guard is broken and that was said, 64: it came to its end, 128: SIGINT would not do.
# Takes `line` and the positional parameters, or `text`, a text that is no line, and these.
__recourse_guard() {
  # Before anything of ours is called.
  [[ $1 != line || $__rc_old == 1 ]] || __rc_under=$_
  __recourse_whole || \unset -f builtin
  if [[ $- == *r* ]]; then
    __recourse_restricted "$@"
    builtin return
  fi
  # No trap is set in here: that would make bash forget whether INT is trapped.
  { builtin set +xeuT; } 2>/dev/null
  builtin local __rc_code='' __rc_sum=0 __rc_words __rc_why
  __rc_words=()
  [[ $1 == line ]] || __rc_words+=(--plain)
  ((BASH_VERSINFO[0] < 4)) || __rc_words+=(--functions)
  if [[ $1 == line ]]; then
    # As fast as that nobody types.
    __rc_why=${EPOCHREALTIME-}
    # No prompt was between: the same text goes on.
    if ((!__rc_pre && __rc_bits & 1 && __rc_since && ${EPOCHSECONDS-0} - __rc_since < 2 ||
      __rc_rest && 10#0${__rc_why//[!0-9]/} - __rc_when < 60000)); then
      __recourse_say 'refused: it was not run, because it came in one piece with a refused line'
      builtin printf '65'
      __recourse_drop
      builtin return
    fi
    if __recourse_unseen; then
      # What keys gathered is the line as long as nothing of history is put in its place.
      if [[ -z $__rc_typed ]] || [[ -o history && $- == *H* && $__rc_typed == *"${histchars-!}"* ]]; then
        builtin printf '68'
        builtin return
      fi
      __rc_words+=(--plain)
      builtin shift
      builtin set -- typed "$__rc_typed" "$@"
    fi
  fi
  if [[ ! -x $__recourse_bin ]]; then
    __rc_code=127
  elif ((BASH_VERSINFO[0] < 4)); then
    __rc_sum=$(__recourse_line "$@" 2>/dev/null | "$__recourse_bin" hook shell --shell bash --text --state ${__rc_words[@]+"${__rc_words[@]}"})
    __rc_code=$?
    [[ -n $__rc_sum ]] || __rc_sum=0
  else
    __recourse_round "$@"
  fi
  case $__rc_code in
  0) builtin printf '%s+64' "${__rc_sum%+}" ;;
  126 | 130)
    builtin printf '%s+65' "${__rc_sum%+}"
    [[ $1 == text ]] || __recourse_drop
    ;;
  *)
    __rc_why="the guard failed (status $__rc_code of $__recourse_bin)"
    [[ $__rc_code != hung ]] || __rc_why="the guard gave no answer in 10 seconds ($__recourse_bin)"
    # What is refused is never swallowed in silence.
    if ((__rc_strict && __rc_told & 1)); then __recourse_say 'refused: it was not run, because lines are not judged'; fi
    ((__rc_told & 1)) || __recourse_say "$__rc_why: lines are not judged$( ((__rc_strict)) && builtin printf ', and refused'); mend it, or take recourse out of your startup file"
    if ((__rc_strict)); then
      builtin printf '97'
      [[ $1 == text ]] || __recourse_drop
    else
      builtin printf '96'
    fi
    ;;
  esac
}

# In a restricted shell only a program on PATH can be started, and nothing redirected.
__recourse_restricted() {
  if [[ $(builtin type -P "${__recourse_bin##*/}") == "$__recourse_bin" ]]; then
    builtin local __rc_words
    __rc_words=()
    [[ $1 == line ]] || __rc_words=(--plain)
    __recourse_line "$@" | builtin command "${__recourse_bin##*/}" hook shell --shell bash --text --state ${__rc_words[@]+"${__rc_words[@]}"}
    case ${PIPESTATUS[1]} in
    0) builtin printf '64' ;;
    126 | 130)
      builtin printf '65'
      [[ $1 == text ]] || __recourse_drop
      ;;
    *) builtin printf '96' ;;
    esac
  else
    builtin printf '%s' "$((64 + 33 * __rc_strict))"
  fi
}

# Drops the line that was read. A handler of the user's must not run for this.
__recourse_drop() {
  if ((__rc_old)); then
    builtin :
  elif [[ -z $(builtin trap -p INT) ]]; then
    builtin kill -INT $$
  else
    builtin printf '+128'
  fi
}

# The history settings are the user's while a command runs, and what they filter is filtered.
__recourse_restore() {
  builtin local __rc_one
  __rc_hide=0
  [[ -z $__rc_control ]] || HISTCONTROL=$__rc_control
  [[ -z $__rc_ignore ]] || HISTIGNORE=$__rc_ignore
  if [[ $__rc_off == *cmdhist* ]]; then
    builtin shopt -u cmdhist
    [[ $__rc_off == *lithist* ]] || builtin shopt -u lithist
    if ((!__rc_pre)); then
      __recourse_take_out
      while [[ $__rc_one == *$'\n'* ]]; do
        builtin history -s -- "${__rc_one%%$'\n'*}"
        __rc_one=${__rc_one#*$'\n'}
      done
      builtin history -s -- "$__rc_one"
    fi
  elif [[ -n $__rc_ignore ]] && ((!__rc_pre)); then
    __recourse_take_out
    builtin history -s -- "$__rc_one"
  elif ((__rc_bits & 2 && !__rc_pre)) && [[ $__rc_control == *ignorespace* || $__rc_control == *ignoreboth* ]]; then
    builtin history -d "$__rc_at" 2>/dev/null
  fi
  [[ -z $__rc_size ]] || HISTSIZE=$__rc_size
  __rc_control='' __rc_ignore='' __rc_off='' __rc_size=''
}

# Takes the line out of history, into __rc_one.
__recourse_take_out() {
  __rc_one=$(__recourse_last)
  __rc_one=${__rc_one#"${__rc_one%%[![:space:]]*}"}
  __rc_one=${__rc_one#"${__rc_one%%[![:digit:]]*}"}
  __rc_one=${__rc_one#??}
  builtin history -d "$__rc_at" 2>/dev/null
}

# While a line is typed nothing is kept out of history, so that the guard can read it there.
__recourse_hide() {
  builtin local "__rc_each=:${HISTCONTROL-}:" __rc_noglob=0
  # History that is off cannot be turned on from here: bash itself puts it back after PROMPT_COMMAND.
  if ! builtin shopt -q cmdhist; then
    __rc_off=cmdhist
    ! builtin shopt -q lithist || __rc_off+=lithist
    builtin shopt -s cmdhist lithist
  fi
  if [[ ${HISTSIZE-1} != *[!0]* ]] && ! __recourse_fixed HISTSIZE; then
    __rc_size=$HISTSIZE
    HISTSIZE=16
  fi
  if [[ ${HISTCONTROL-} == *ignorespace* || ${HISTCONTROL-} == *ignoreboth* ]] && ! __recourse_fixed HISTCONTROL; then
    __rc_control=$HISTCONTROL
    __rc_each=${__rc_each//:ignorespace:/:}
    __rc_each=${__rc_each//:ignoreboth:/:ignoredups:}
    __rc_each=${__rc_each#:}
    HISTCONTROL=${__rc_each%:}
  fi
  if [[ -n ${HISTIGNORE-} ]] && ! __recourse_fixed HISTIGNORE; then
    __rc_ignore=$HISTIGNORE
    HISTIGNORE=''
  fi
  [[ -z $__rc_off$__rc_size$__rc_control$__rc_ignore ]] || __rc_hide=2
  # What history will not hold all the same is gathered by keys; or judged command by command, in subshells too.
  __rc_typed=''
  if [[ -n ${HISTIGNORE-} || ${HISTCONTROL-} == *ignorespace* || ${HISTCONTROL-} == *ignoreboth* || ${HISTSIZE-1} != *[!0]* ||
    ! -o history ]] || { [[ $- != *r* ]] && ! builtin history 1 >/dev/null 2>&1; }; then
    ((${#__rc_keys[@]} || __rc_old)) || __recourse_gather
    if ((!__rc_functrace)) && [[ $- != *T* ]]; then
      __rc_functrace=1
      builtin set -T
    fi
  elif ((${#__rc_keys[@]})); then
    __recourse_gather_no_more
  fi
}

# The keys that accept a line hand it to us first, and then accept it.
__recourse_gather() {
  builtin local __rc_keymap __rc_one __rc_each
  for __rc_keymap in emacs vi-insert vi-command; do
    for __rc_one in accept-line operate-and-get-next; do
      __rc_each=$(builtin bind -m "$__rc_keymap" -q "$__rc_one" 2>/dev/null) || builtin continue
      while [[ $__rc_each == *'"'*'"'* ]]; do
        __rc_each=${__rc_each#*'"'}
        [[ ${__rc_each%%'"'*} == *'\\' ]] || __rc_keys+=("$__rc_keymap" "${__rc_each%%'"'*}" "$__rc_one")
        __rc_each=${__rc_each#*'"'}
      done
    done
    builtin bind -m "$__rc_keymap" -x '"\C-x\C-_r": __recourse_typed'
    builtin bind -m "$__rc_keymap" '"\C-x\C-_a": accept-line'
  done 2>/dev/null
  for ((__rc_one = 0; __rc_one < ${#__rc_keys[@]}; __rc_one += 3)); do
    builtin bind -m "${__rc_keys[__rc_one]}" "\"${__rc_keys[__rc_one + 1]}\": \"\\C-x\\C-_r\\C-x\\C-_a\"" 2>/dev/null
  done
}

# These keys do again what they did.
__recourse_gather_no_more() {
  builtin local __rc_one
  for ((__rc_one = 0; __rc_one < ${#__rc_keys[@]}; __rc_one += 3)); do
    builtin bind -m "${__rc_keys[__rc_one]}" "\"${__rc_keys[__rc_one + 1]}\": ${__rc_keys[__rc_one + 2]}" 2>/dev/null
  done
  __rc_keys=()
}

# On such a key, once for each line of a command.
__recourse_typed() { __rc_typed+=${__rc_typed:+$'\n'}$READLINE_LINE; }

# Puts a text into history, and onto the line of the next prompt where the terminal takes part.
__recourse_take() {
  builtin local __rc_byte __rc_one='' __rc_keymap
  for __rc_byte in "${__rc_put[@]}"; do
    builtin printf -v __rc_byte '\\x%x' "$__rc_byte"
    __rc_one+=$__rc_byte
  done
  builtin printf -v __rc_text '%b' "$__rc_one"
  __rc_put=()
  builtin history -s -- "$__rc_text"
  __recourse_say 'on your line now, or one Up away; Enter runs it'
  [[ -o emacs || -o vi ]] && [[ -n ${TERM-} && $TERM != dumb ]] || builtin return 0
  # Only keys can fill readline's line, and the terminal types these by itself when it is asked for its state.
  for __rc_keymap in emacs vi-insert vi-command; do builtin bind -m "$__rc_keymap" -x '"\e[0n": __recourse_fill'; done 2>/dev/null
  # It is asked when readline has taken over, or its answer would stand on the screen.
  ( (
    for __rc_byte in {1..100}; do
      case $(builtin command stty -a 2>/dev/null) in
      *-icanon*)
        builtin printf '\e[5n'
        builtin break
        ;;
      esac
      builtin command sleep 0.03
    done
  ) </dev/tty >/dev/tty 2>/dev/null & )
}

# On the key: readline's line is the text.
__recourse_fill() {
  if [[ -n $__rc_text && -z $READLINE_LINE ]]; then
    READLINE_LINE=$__rc_text
    READLINE_POINT=${#READLINE_LINE}
  fi
  __rc_text=''
}

# From the DEBUG trap, when there is something to do, with $_ and the positional parameters. Not zero: the command is not run.
__recourse_debug() {
  case $BASH_COMMAND in
  __recourse_* | '((__rc_'* | '\builtin eval "$__rc_heal"' | '\builtin eval "$__rc_set"' | "$__rc_set") builtin return 0 ;;
  esac
  [[ ${FUNCNAME[1]-} != __recourse_* ]] || builtin return 0
  __rc_under=$1
  builtin shift
  if ((__rc_act & 8)); then
    __recourse_unheralded "$@"
    builtin return
  fi
  if ((__rc_act & 32)); then
    # Somebody set PROMPT_COMMAND anew: what ours does there has not been done.
    __recourse_untrace
    __recourse_chain
  fi
  ((!(__rc_act & 16) || __rc_deny)) || __recourse_untrace
  ((__rc_hide == 0)) || __recourse_restore
  if ((__rc_act & 4 && !__rc_deny && ${#FUNCNAME[@]} == 1)); then
    ((__rc_told & 2)) || __recourse_say 'this line is not in history: its commands are judged one by one, and redirections of { } and loops are not'
    ((__rc_told |= 2))
    __recourse_refuses "$@" && __rc_deny=1
  fi
  ((__rc_act &= 5))
  __recourse_skip
}

# Judges the command at hand by itself.
__recourse_refuses() {
  builtin local "__rc_one=$BASH_COMMAND"
  # Of these only the head is told.
  case $__rc_one in
  'for '* | 'select '*) __rc_one+='; do :; done' ;;
  'case '*) __rc_one+=' esac' ;;
  esac
  (($(__recourse_guard text "$__rc_one" "$@") & 1))
}

# A command runs, and no line was judged: in old bash the first of a line; or a startup file, a key, an editor's text, what
# somebody put behind ours in PROMPT_COMMAND.
__recourse_unheralded() {
  ((BASH_SUBSHELL == 0 || __rc_editor)) || builtin return 0
  [[ ${FUNCNAME[2]-} == '' || ${FUNCNAME[2]-} == source && $__rc_editor == 1 ]] || builtin return 0
  if ((__rc_first)) && [[ -n ${PROMPT_COMMAND[*]-} ]]; then
    # The first prompt comes, without ours in it.
    [[ ${PROMPT_COMMAND[*]} == *__recourse_precmd* ]] || __recourse_chain
    builtin return 0
  fi
  if ((__rc_old)) && [[ -z ${READLINE_POINT-} ]]; then
    __rc_bits=$(__recourse_guard line "$@")+0
    ((__rc_bits = __rc_bits, __rc_pre = 0, __rc_deny = __rc_bits & 1, __rc_act = __rc_bits & 5 | __rc_hide, __rc_told |= __rc_bits >> 5 & 1, __rc_at = HISTCMD - 1, 1))
    ((__rc_hide == 0)) || __recourse_restore
    if ((__rc_act & 4 && !__rc_deny)); then
      __recourse_refuses "$@" && __rc_deny=1
    fi
    ((__rc_act &= 5))
  elif [[ $BASH_COMMAND == 'fc -e '* ]]; then
    # Ctrl-X Ctrl-E and vi's v: what the editor leaves follows, as if it came from a file.
    __rc_editor=1
    builtin return 0
  elif ((!__rc_deny)); then
    # Where there are no prompt commands at all, ours are put back.
    [[ ${PROMPT_COMMAND[*]-} == *__recourse_precmd* ]] || __recourse_chain
    if __recourse_refuses "$@"; then
      __rc_deny=1
      # What was added to the prompt's commands is taken out again.
      if ((__rc_changed)) && [[ -z ${READLINE_POINT-} ]]; then
        __rc_changed=0
        if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then PROMPT_COMMAND=${__rc_known[0]}; else PROMPT_COMMAND=("${__rc_known[@]}"); fi
      fi
      __recourse_skip
      # The next key is another command; in a text of several lines nothing goes on.
      ((__rc_editor)) || __rc_deny=0
      builtin return 1
    fi
  fi
  __recourse_skip
}

# Skips the command at hand when it was refused.
__recourse_skip() {
  ((__rc_deny)) || builtin return 0
  if ! builtin shopt -q extdebug; then
    __rc_trap=1
    __rc_trace=t
    [[ $- == *T* ]] && __rc_trace+=T
    [[ $- == *E* ]] && __rc_trace+=E
    builtin shopt -s extdebug
  fi
  builtin return 1
}

# What was set to skip commands is set back.
__recourse_untrace() {
  __rc_trap=0
  [[ -n $__rc_trace ]] || builtin return 0
  builtin shopt -u extdebug
  [[ $__rc_trace == *T* ]] && builtin set -T
  [[ $__rc_trace == *E* ]] && builtin set -E
  __rc_trace=''
}

# Puts our part in front of a DEBUG trap that is there.
__recourse_wrap() {
  builtin local __rc_one
  builtin eval "builtin set -- $1"
  case ${3-} in
  '') __rc_one='((__rc_seen=1,!__rc_act))||__recourse_debug "$_" "$@"' ;;
  *__rc_seen=1*) __rc_one=$3 ;;
  *) __rc_one='if ((__rc_seen=1,__rc_act))&&! __recourse_debug "$_" "$@";then ((0));else'$'\n'$3$'\n''fi' ;;
  esac
  builtin printf -v __rc_set '\\builtin trap -- %q DEBUG' "$__rc_one"
}

# Before each prompt, ahead of everything else in PROMPT_COMMAND.
__recourse_precmd() {
  __rc_status=$?
  if ! __recourse_whole; then
    \unset -f builtin
    __recourse_say 'a function named builtin would keep this hook from working: it was taken away'
  fi
  # The rest of what was pasted comes at once.
  ((__rc_rest = __rc_pre ? 0 : __rc_bits & 1, __rc_deny = 0, __rc_act = 0, __rc_editor = 0, 1))
  __recourse_untrace
  ((__rc_hide == 0)) || __recourse_restore
  if ((__rc_functrace)); then
    __rc_functrace=0
    builtin set +T
  fi
  if [[ $- == *r* ]] && ! ((__rc_told & 1)) && [[ $(builtin type -P "${__recourse_bin##*/}") != "$__recourse_bin" ]]; then
    __recourse_say "a restricted shell starts nothing that is not on PATH: lines are not judged"
    ((__rc_told |= 1))
  fi
  if ((!__rc_old)) && ! builtin shopt -q promptvars; then
    # PS0 would be shown as it is.
    __recourse_say 'promptvars is off: lines are judged command by command'
    __rc_old=1
    PS0=${PS0-}
    PS0=${PS0//"$__rc_ps0"/}
  fi
  if ((!__rc_old)); then
    if ((__rc_bits & 64 || __rc_first)); then builtin :; elif ((!(__rc_told & 1))); then
      __recourse_say "the guard $__recourse_bin did not answer: lines are not judged"
      ((__rc_told |= 1))
    fi
    [[ ${PS0-} == *__recourse_guard* ]] || __recourse_fixed PS0 || PS0=${PS0-}$__rc_ps0
  elif ((__rc_first)); then
    __recourse_say 'bash 4.4 or later with promptvars is needed for whole lines: here redirections of { } and loops are not covered'
  fi
  # What somebody added since runs under the eyes of the DEBUG trap once, and belongs to it then.
  if [[ ${PROMPT_COMMAND[*]-} == "${__rc_known[*]-}" ]]; then
    __rc_changed=0
  elif ((__rc_first || __rc_changed)); then
    __rc_changed=0
    __rc_known=(${PROMPT_COMMAND[@]+"${PROMPT_COMMAND[@]}"})
  else
    __rc_changed=1 __rc_act=8
  fi
  __recourse_chain
  ((!(__rc_bits & 16))) || __recourse_take
  __rc_first=0 __rc_bits=64
  # With -e a status of a line that did not run would end the shell here; bash itself puts it back afterwards.
  [[ $- != *e* ]] || builtin return 0
  builtin return "$__rc_status"
}

# After everything else in PROMPT_COMMAND.
__recourse_arm() {
  __rc_status=$?
  __recourse_hide
  if ((__rc_rest)); then
    __rc_when=${EPOCHREALTIME-0}
    __rc_when=${__rc_when//[!0-9]/}
  fi
  [[ $- != *e* ]] || builtin return 0
  builtin return "$__rc_status"
}

# Makes our parts the first and the last of PROMPT_COMMAND.
__recourse_chain() {
  builtin local __rc_each __rc_one
  __rc_one=()
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
    __rc_each=${PROMPT_COMMAND-}
    # bash-preexec puts itself in front at the first prompt.
    [[ $__rc_each != "$__rc_head"*$'\n'"$__rc_tail" ]] || builtin return 0
    ! __recourse_fixed PROMPT_COMMAND || builtin return 0
    __rc_each=${__rc_each//"$__rc_head;"/} __rc_each=${__rc_each//"$__rc_head"/} __rc_each=${__rc_each//"$__rc_tail"/}
    __rc_each=${__rc_each%"${__rc_each##*[!;[:space:]]}"}
    PROMPT_COMMAND=$__rc_head${__rc_each:+;$__rc_each}$'\n'$__rc_tail
    ((__rc_changed)) || __rc_known=("$PROMPT_COMMAND")
  else
    [[ ${PROMPT_COMMAND[0]-} != "$__rc_head" || ${PROMPT_COMMAND[${#PROMPT_COMMAND[@]} - 1]-} != "$__rc_tail" ]] || builtin return 0
    ! __recourse_fixed PROMPT_COMMAND || builtin return 0
    for __rc_each in ${PROMPT_COMMAND[@]+"${PROMPT_COMMAND[@]}"}; do
      __rc_each=${__rc_each//"$__rc_head;"/} __rc_each=${__rc_each//"$__rc_head"/} __rc_each=${__rc_each//"$__rc_tail"/}
      [[ -z $__rc_each ]] || __rc_one+=("$__rc_each")
    done
    PROMPT_COMMAND=("$__rc_head" ${__rc_one[@]+"${__rc_one[@]}"} "$__rc_tail")
    ((__rc_changed)) || __rc_known=("${PROMPT_COMMAND[@]}")
  fi
}

__recourse_chain
# Once, also where this file is read again.
((__rc_old)) || { PS0=${PS0-}; PS0=${PS0//"$__rc_ps0"/}$__rc_ps0; }
builtin eval "$__rc_heal"
# For `recourse doctor`: which shell, how far covered, and which process this is about.
builtin export RECOURSE_SHELL_HOOK="bash:$( ((__rc_old)) && builtin printf partial || builtin printf full):$$"
fi
\builtin shopt "$__rc_alias" expand_aliases
\builtin unset -v __rc_alias
