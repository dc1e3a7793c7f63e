# recourse for bash: every line is judged before it runs. Put into ~/.bashrc:  eval "$(recourse init bash)"
# To remove it, delete that line and start a new shell (`recourse init bash --uninstall` says the same).
#
# bash 4.4 and later: after a line was read, and before anything of it runs, bash expands PS0. The arithmetic in ours runs
# in this shell and keeps the verdict; the guard inside it sends SIGINT when it refuses, which drops the whole line. Where
# INT is trapped or ignored, an expansion that fails drops it. A DEBUG trap stands behind both. Older bash has no PS0 and
# only the trap.
# Names begin with __recourse_ and __rc_. For a line that runs nothing here starts a program except the guard itself.

if [[ $- == *i* && -n ${BASH_VERSION-} ]]; then

# What a parent process may have exported is not ours.
unset __recourse_bin __rc_bits __rc_deny __rc_act __rc_hide __rc_seen __rc_told __rc_line __rc_stop __rc_at __rc_control __rc_ignore \
  __rc_none __rc_old __rc_arms __rc_trace __rc_set __rc_heal __rc_first __rc_strict __rc_put __rc_text __rc_bodies
__recourse_bin=@BINARY@
__rc_none='' __rc_bits=0 __rc_deny=0 __rc_act=0 __rc_hide=0 __rc_seen=0 __rc_told=0 __rc_stop=0 __rc_at=0 __rc_control=''
__rc_put=() __rc_line=(- '') __rc_text='' __rc_bodies=''
__rc_ignore='' __rc_trace='' __rc_set='' __rc_first=1 __rc_old=0 __rc_arms='((__rc_act=8))' __rc_strict=0
__rc_heal='__recourse_wrap "$(trap -p DEBUG)";eval "$__rc_set"'
case ${RECOURSE_SHELL_STRICT-} in '' | 0 | false | no) ;; *) __rc_strict=1 ;; esac
((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || __rc_old=1
shopt -q promptvars || __rc_old=1

__recourse_say() { builtin printf 'recourse: %s\n' "$1" >&2; }

# Feeds the guard: aliases, names of functions, the line, and when it asked for them the functions that the line names.
# The line is what history holds of it.
__recourse_line() {
  local line
  builtin alias -p
  builtin printf '\0'
  builtin declare -F
  builtin printf '\0'
  if [[ -z $__rc_bodies ]]; then
    if (($# > 0)); then builtin printf '%s' "$1"; else HISTTIMEFORMAT='' builtin history 1; fi
  else
    if (($# > 0)); then line=$1; else line=$(HISTTIMEFORMAT='' builtin history 1); fi
    builtin printf '%s' "$line"
    __recourse_bodies "$line"
  fi
}

# Name and text of the functions that a text names, of those that these name, and so on.
__recourse_bodies() {
  local IFS=$' \t\n' text=$1 name body count=0
  local -A seen=()
  set -f
  while [[ -n $text ]]; do
    set -- ${text//[^[:alnum:]_.:+-]/ }
    text=''
    for name; do
      [[ -z ${seen[$name]-} ]] || continue
      seen[$name]=1
      text+=" ${BASH_ALIASES[$name]-}"
      [[ $name != __recourse_* ]] && builtin declare -F -- "$name" >/dev/null || continue
      ((++count <= 64)) || return
      body=$(builtin declare -f -- "$name")
      builtin printf '\0%s\0%s' "$name" "$body"
      text+=" $body"
    done
    text=${text# }
    [[ $text == *[![:space:]]* ]] || return
  done
}

# Whether history may not hold the line that is about to run.
__recourse_unseen() {
  [[ ! -o history || -n ${HISTIGNORE-} || ${HISTSIZE-1} == 0 || ${HISTCONTROL-} == *ignorespace* || ${HISTCONTROL-} == *ignoreboth* ]] ||
    ! shopt -q cmdhist
}

# Runs in a subshell. Prints a sum of 1: refused, 2: begins with a blank, 4: could not be seen whole, 16: __rc_put
# holds a text for the line, 32: the guard is broken and that was said, 64: it came to its end, 128: SIGINT would not do.
__recourse_guard() {
  { set +xeu; } 2>/dev/null
  local code more=''
  ((BASH_VERSINFO[0] < 4)) || more=--functions
  if (($# == 0)) && __recourse_unseen; then
    builtin printf '68'
    return
  fi
  while :; do
    if [[ ! -x $__recourse_bin ]]; then
      code=127
    elif ((__rc_old)); then
      __recourse_line "$@" 2>/dev/null | "$__recourse_bin" hook shell --shell bash --text $more ${1+--plain}
      code=${PIPESTATUS[1]}
    else
      __recourse_line "$@" > >(exec "$__recourse_bin" hook shell --shell bash --text $more ${1+--plain}) 2>/dev/null
      wait $!
      code=$?
    fi
    # It wants to know what functions do that the line names.
    [[ $code == 3 && -n $more ]] || break
    more='' __rc_bodies=1
  done
  case $code in
  0) builtin printf '64' ;;
  126 | 130)
    builtin printf '65'
    (($# > 0)) || __recourse_drop
    ;;
  *)
    ((__rc_told & 1)) || __recourse_say "the guard failed (status $code of $__recourse_bin): lines are not judged$( ((__rc_strict)) && builtin printf ', and refused'); mend it, or take recourse out of your startup file"
    if ((__rc_strict)); then
      builtin printf '97'
      (($# > 0)) || __recourse_drop
    else
      builtin printf '96'
    fi
    ;;
  esac
}

# Drops the line that was read. A handler of the user's must not run for this.
__recourse_drop() {
  if ((__rc_old)); then
    :
  elif [[ -z $(trap -p INT) ]]; then
    kill -INT $$
  else
    builtin printf '+128'
  fi
}

# The history settings are the user's while a command runs, and what they filter is filtered.
__recourse_restore() {
  local line
  __rc_hide=0
  HISTCONTROL=$__rc_control
  if [[ -n $__rc_ignore ]]; then
    HISTIGNORE=$__rc_ignore
    line=$(HISTTIMEFORMAT='' builtin history 1)
    line=${line#"${line%%[![:space:]]*}"}
    line=${line#"${line%%[![:digit:]]*}"}
    builtin history -d "$__rc_at" 2>/dev/null
    builtin history -s -- "${line#??}"
  elif ((__rc_bits & 2)) && [[ $__rc_control == *ignorespace* || $__rc_control == *ignoreboth* ]]; then
    builtin history -d "$__rc_at" 2>/dev/null
  fi
}

# While a line is typed nothing is kept out of history, so that the guard can read it there.
__recourse_hide() {
  local each kept='' IFS=:
  [[ -n ${HISTIGNORE-} || ${HISTCONTROL-} == *ignorespace* || ${HISTCONTROL-} == *ignoreboth* ]] || return 0
  __rc_control=${HISTCONTROL-} __rc_ignore=${HISTIGNORE-} __rc_hide=2
  set -f -- $- "${HISTCONTROL-}"
  for each in $2; do
    case $each in
    ignorespace) ;;
    ignoreboth) kept=${kept:+$kept:}ignoredups ;;
    *) kept=${kept:+$kept:}$each ;;
    esac
  done
  [[ $1 == *f* ]] || set +f
  HISTCONTROL=$kept
  [[ -z $__rc_ignore ]] || HISTIGNORE=''
}

# Puts a text into history, and onto the line of the next prompt where the terminal takes part.
__recourse_take() {
  local byte text='' keymap
  for byte in "${__rc_put[@]}"; do
    builtin printf -v byte '\\x%x' "$byte"
    text+=$byte
  done
  builtin printf -v __rc_text '%b' "$text"
  __rc_put=()
  builtin history -s -- "$__rc_text"
  __recourse_say 'on your line now, or one Up away; Enter runs it'
  [[ -o emacs || -o vi ]] && [[ -n ${TERM-} && $TERM != dumb ]] || return 0
  # Only keys can fill readline's line, and the terminal types these by itself when it is asked for its state.
  for keymap in emacs vi-insert vi-command; do builtin bind -m "$keymap" -x '"\e[0n": __recourse_fill'; done 2>/dev/null
  # It is asked when readline has taken over, or its answer would stand on the screen.
  ( (
    for byte in {1..100}; do
      case $(stty -a 2>/dev/null) in
      *-icanon*)
        builtin printf '\e[5n'
        break
        ;;
      esac
      sleep 0.03
    done
  ) </dev/tty >/dev/tty 2>/dev/null & )
}

# On the key: readline's line is the text.
__recourse_fill() {
  local keymap
  if [[ -n $__rc_text && -z $READLINE_LINE ]]; then
    READLINE_LINE=$__rc_text
    READLINE_POINT=${#READLINE_LINE}
  fi
  __rc_text=''
}

# From the DEBUG trap, when there is something to do. Not zero: the command is not run.
__recourse_debug() {
  [[ $BASH_COMMAND == __recourse_precmd* || $BASH_COMMAND == '((__rc_'* || ${FUNCNAME[1]-} == __recourse_* ]] && return 0
  [[ -n ${COMP_LINE-}${COMP_POINT-}${READLINE_POINT-} ]] && return 0
  if ((__rc_act & 8)); then
    # Old bash: the first command of a line.
    __rc_bits=$(__recourse_guard)+0
    ((__rc_bits = __rc_bits, __rc_deny = __rc_bits & 1, __rc_act = __rc_bits & 5 | __rc_hide, __rc_told |= __rc_bits >> 5 & 1, __rc_at = HISTCMD - 1))
  fi
  ((__rc_hide == 0)) || __recourse_restore
  if ((__rc_act & 4 && !__rc_deny && ${#FUNCNAME[@]} == 1)); then
    ((__rc_told & 2)) || __recourse_say 'this line is not in history: its commands are judged one by one, and redirections of { } and loops are not'
    ((__rc_told |= 2))
    (($(__recourse_guard "$BASH_COMMAND") & 1)) && __rc_deny=1
  fi
  ((__rc_act &= 5))
  if ((__rc_deny)); then
    if ! shopt -q extdebug; then
      __rc_trace=t
      [[ $- == *T* ]] && __rc_trace+=T
      [[ $- == *E* ]] && __rc_trace+=E
      shopt -s extdebug
    fi
    return 1
  fi
  return 0
}

# Puts our part in front of a DEBUG trap that is there.
__recourse_wrap() {
  local trap
  eval "set -- $1"
  case ${3-} in
  '') trap='((__rc_seen=1,!__rc_act))||__recourse_debug "$_"' ;;
  *__rc_seen=1*) trap=$3 ;;
  *) trap='if ((__rc_seen=1,__rc_act))&&! __recourse_debug "$_";then ((0));else'$'\n'$3$'\n''fi' ;;
  esac
  builtin printf -v __rc_set 'trap -- %q DEBUG' "$trap"
}

# Before each prompt, ahead of everything else in PROMPT_COMMAND.
__recourse_precmd() {
  local status=$? first
  ((__rc_deny = 0, __rc_act = 0, 1))
  if [[ -n $__rc_trace ]]; then
    shopt -u extdebug
    [[ $__rc_trace == *T* ]] && set -T
    [[ $__rc_trace == *E* ]] && set -E
    __rc_trace=''
  fi
  ((__rc_hide == 0)) || __recourse_restore
  if ((!__rc_old)); then
    if ((__rc_bits & 64 || __rc_first)); then :; elif ((!(__rc_told & 1))); then
      __recourse_say "the guard $__recourse_bin did not answer: lines are not judged"
      ((__rc_told |= 1))
    fi
    shopt -q promptvars || ((__rc_told & 8)) || {
      __recourse_say 'promptvars is off: lines are not judged'
      ((__rc_told |= 8))
    }
    [[ ${PS0-} == *__recourse_guard* ]] ||
      PS0=${PS0-}'${__rc_none:$((__rc_bits=$(__recourse_guard)+0,__rc_deny=__rc_bits&1|__rc_strict&!(__rc_bits&64),__rc_act=__rc_bits&4|__rc_deny|__rc_hide,__rc_told|=__rc_bits>>5&1,__rc_at=HISTCMD-1,__rc_stop=__rc_bits>>7&1|__rc_strict&!(__rc_bits&64),__rc_seen=0)):0}${__rc_none:${__rc_line[__rc_stop]:?it was not run}0:0}'
  fi
  first='__recourse_precmd;((__rc_seen))||eval "$__rc_heal"'
  # bash-preexec puts itself in front at the first prompt.
  if [[ ${PROMPT_COMMAND-} != "$first"* ]]; then __recourse_chain; fi
  if ((__rc_first && __rc_old)); then
    __recourse_say 'bash 4.4 or later with promptvars is needed for whole lines: here redirections of { } and loops are not covered'
  fi
  ((!(__rc_bits & 16))) || __recourse_take
  __rc_first=0 __rc_bits=64
  __recourse_hide
  return "$status"
}

# Makes our part the first of PROMPT_COMMAND (and in old bash the arming the last).
__recourse_chain() {
  local first='__recourse_precmd;((__rc_seen))||eval "$__rc_heal"' each
  if ((__rc_old || BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then
    each=${PROMPT_COMMAND-}
    each=${each//"$first;"/} each=${each//"$first"/} each=${each//"$__rc_arms"/}
    each=${each%"${each##*[!;[:space:]]}"}
    PROMPT_COMMAND=$first${each:+;$each}
    ((!__rc_old)) || PROMPT_COMMAND+=$'\n'$__rc_arms
  else
    local -a rest=()
    for each in ${PROMPT_COMMAND[@]+"${PROMPT_COMMAND[@]}"}; do
      each=${each//"$first;"/} each=${each//"$first"/}
      [[ -z $each ]] || rest+=("$each")
    done
    PROMPT_COMMAND=("$first" ${rest[@]+"${rest[@]}"})
  fi
}

__recourse_chain
# For `recourse doctor`: which shell, how far covered, and which process this is about.
export RECOURSE_SHELL_HOOK="bash:$( ((__rc_old)) && builtin printf partial || builtin printf full):$$"
fi
