# recourse for bash: every line is judged before it runs. Put into ~/.bashrc:  eval "$(recourse init bash)"
# To remove it, delete that line and start a new shell (`recourse init bash --uninstall` says the same).
#
# bash 4.4 and later: after a line was read, and before anything of it runs, bash expands PS0. The arithmetic in ours runs
# in this shell and keeps the verdict; the guard inside it sends SIGINT when it refuses, which drops the whole line. Where
# INT is trapped or ignored, a DEBUG trap stops the line command by command. Older bash has no PS0 and only the trap.
# Names begin with __recourse_ and __rc_. Nothing here starts a program except the guard itself.

if [[ $- == *i* && -n ${BASH_VERSION-} ]]; then

# What a parent process may have exported is not ours.
unset __recourse_bin __rc_bits __rc_deny __rc_act __rc_hide __rc_seen __rc_told __rc_int __rc_at __rc_control __rc_ignore \
  __rc_none __rc_old __rc_arms __rc_trace __rc_set __rc_heal __rc_first __rc_strict
__recourse_bin=@BINARY@
__rc_none='' __rc_bits=0 __rc_deny=0 __rc_act=0 __rc_hide=0 __rc_seen=0 __rc_told=0 __rc_int=0 __rc_at=0 __rc_control=''
__rc_ignore='' __rc_trace='' __rc_set='' __rc_first=1 __rc_old=0 __rc_arms='((__rc_act=8))' __rc_strict=0
__rc_heal='__recourse_wrap "$(trap -p DEBUG)";eval "$__rc_set"'
case ${RECOURSE_SHELL_STRICT-} in '' | 0 | false | no) ;; *) __rc_strict=1 ;; esac
((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || __rc_old=1
shopt -q promptvars || __rc_old=1

__recourse_say() { builtin printf 'recourse: %s\n' "$1" >&2; }

# Feeds the guard: aliases, names of functions, and the line. The line is what history holds of it.
__recourse_line() {
  builtin alias -p
  builtin printf '\0'
  builtin declare -F
  builtin printf '\0'
  if (($# > 0)); then builtin printf '%s' "$1"; else HISTTIMEFORMAT='' builtin history 1; fi
}

# Whether history may not hold the line that is about to run.
__recourse_unseen() {
  [[ ! -o history || -n ${HISTIGNORE-} || ${HISTSIZE-1} == 0 || ${HISTCONTROL-} == *ignorespace* || ${HISTCONTROL-} == *ignoreboth* ]] ||
    ! shopt -q cmdhist
}

# Runs in a subshell. Prints a sum of 1: refused, 2: begins with a blank, 4: could not be seen whole, 8: look at traps
# afterwards, 32: the guard is broken and that was said, 64: it came to its end.
__recourse_guard() {
  { set +xeu; } 2>/dev/null
  local code
  if (($# == 0)) && __recourse_unseen; then
    builtin printf '68'
    return
  fi
  if [[ ! -x $__recourse_bin ]]; then
    code=127
  elif ((__rc_old)); then
    __recourse_line "$@" 2>/dev/null | "$__recourse_bin" hook shell --shell bash ${1+--plain}
    code=${PIPESTATUS[1]}
  else
    __recourse_line "$@" > >(exec "$__recourse_bin" hook shell --shell bash ${1+--plain}) 2>/dev/null
    wait $!
    code=$?
  fi
  case $code in
  0) builtin printf '64' ;;
  126 | 130)
    builtin printf '65'
    # A handler of the user's must not run for this; then the DEBUG trap stops the line.
    if ((!__rc_old)) && (($# == 0)) && [[ -z $(trap -p INT) ]]; then kill -INT $$; fi
    ;;
  *)
    ((__rc_told & 1)) || __recourse_say "the guard failed (status $code of $__recourse_bin): lines are not judged$( ((__rc_strict)) && builtin printf ', and refused'); mend it, or take recourse out of your startup file"
    if ((__rc_strict)); then
      builtin printf '97'
      if ((!__rc_old)) && (($# == 0)) && [[ -z $(trap -p INT) ]]; then kill -INT $$; fi
    else
      builtin printf '96'
    fi
    ;;
  esac
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
    [[ ${PS0-} == *__recourse_guard* ]] ||
      PS0=${PS0-}'${__rc_none:$((__rc_bits=$(__recourse_guard)+0,__rc_deny=__rc_bits&1|__rc_strict&!(__rc_bits&64),__rc_act=__rc_bits&4|__rc_deny|__rc_hide,__rc_told|=__rc_bits>>5&1,__rc_at=HISTCMD-1,__rc_seen=0)):0}'
  fi
  if ((__rc_first || __rc_bits & 8)); then
    if [[ -n $(trap -p INT) ]]; then
      if ((!__rc_int)); then
        __rc_int=1
        [[ $- == *T* ]] || { __rc_int=2; set -T; }
        ((__rc_told & 4)) || __recourse_say 'INT is trapped or ignored here: a refused line is stopped command by command, and redirections of { } and loops take place before that'
        ((__rc_told |= 4))
      fi
    elif ((__rc_int)); then
      ((__rc_int == 2)) && set +T
      __rc_int=0
    fi
  fi
  first='__recourse_precmd;((__rc_seen))||eval "$__rc_heal"'
  # bash-preexec puts itself in front at the first prompt.
  if [[ ${PROMPT_COMMAND-} != "$first"* ]]; then __recourse_chain; fi
  if ((__rc_first && __rc_old)); then
    __recourse_say 'bash 4.4 or later with promptvars is needed for whole lines: here redirections of { } and loops are not covered'
  fi
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
