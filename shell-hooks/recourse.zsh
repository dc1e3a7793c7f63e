# recourse for zsh: every line is judged before it runs. Put at the end of ~/.zshrc:  eval "$(recourse init zsh)"
# To remove it, delete that line and start a new shell (`recourse init zsh --uninstall` says the same).
#
# A line is judged in preexec, as it will run: whole, history and aliases expanded, however it was accepted. A DEBUG trap then
# ends it, and it comes back into the editor. Where INT is trapped or ignored, a widget on Enter judges first.
# Words are called through `builtin`, because functions are the user's; where that word itself is taken it is mended first.
# Aliases, options and IFS of the user's play no part while this is read.
# Names begin with __recourse_ and __rc_.

if [[ -o interactive && -n ${ZSH_VERSION-} ]]; then

# What a parent process may have exported is not ours.
builtin unset __recourse_bin __rc_text __rc_deny __rc_judged __rc_told __rc_strict __rc_keep __rc_debug __rc_traps __rc_int __rc_look __rc_asked __rc_before __rc_under
typeset -g __recourse_bin=@BINARY@
typeset -g __rc_judged='' __rc_keep='' __rc_debug='' __rc_traps='' __rc_text='' __rc_under=''
typeset -gi __rc_deny=0 __rc_told=0 __rc_strict=0 __rc_int=0 __rc_look=1 __rc_asked=0 __rc_before=1
case ${RECOURSE_SHELL_STRICT-} in ('' | 0 | false | no) ;; (*) __rc_strict=1 ;; esac

builtin zmodload -F zsh/parameter +p:functions +p:aliases +p:options +p:builtins +p:dis_builtins 2>/dev/null

# A function named `builtin`, or builtins that are turned off, would keep this hook from working and lock the user out.
__recourse_heal() {
  if (( ${+functions[builtin]} )); then
    unfunction builtin
    builtin print -u2 -r -- 'recourse: a function named builtin would keep this hook from working: it was taken away'
  fi
  (( ${+builtins[builtin]} )) || enable builtin
  [[ -z ${dis_builtins[(I)(alias|break|continue|emulate|eval|export|kill|local|print|printf|read|return|set|setopt|shift|trap|typeset|unfunction|unset|wait|zle)]} ]] ||
    builtin enable alias break continue emulate eval export kill local print printf read return set setopt shift trap typeset unfunction unset wait zle
}

# Asks the guard about a line, `typed` or `expanded`, with its options, and what of it is shown. 0: it may run. Locals begin with __rc_ too: they must hide no variable that the line names.
__recourse_guard() {
  local __rc_options="${(j: :)${(k)options[(R)on]}}"
  builtin emulate -L zsh
  local -i __rc_code
  local -a __rc_comments
  [[ $1 == typed ]] && __rc_comments=($2)
  if [[ ! -x $__recourse_bin || -o restricted ]]; then
    __rc_code=127
  else
    __rc_text=$(__recourse_round "$1" "$3" "${4:-$__rc_options}" "${5-}" $__rc_comments)
    __rc_code=$?
  fi
  case $__rc_code in
    (0) builtin return 0 ;;
    (126 | 130) builtin return 1 ;;
  esac
  if (( ! (__rc_told & 1) )); then
    (( __rc_told |= 1 ))
    local __rc_why="failed (status $__rc_code of $__recourse_bin)"
    [[ ! -o restricted ]] || __rc_why="cannot be started in a restricted shell"
    (( __rc_code != 124 )) || __rc_why="gave no answer in 10 seconds ($__recourse_bin)"
    builtin print -u2 -r -- "recourse: the guard $__rc_why: lines are not judged${${__rc_strict:#0}:+, and refused}; mend it, or take recourse out of your startup file"
  elif (( __rc_strict )); then
    # What is refused is never swallowed in silence.
    builtin print -u2 -r -- 'recourse: refused: it was not run, because lines are not judged'
  fi
  builtin return $__rc_strict
}

# In a subshell, which has no coprocess of the user's: starts the guard, prints the text that it wants on the line, and takes
# its status. It may first want to know what functions do that the line names, and what its variables are. One that says
# nothing for 3 seconds is spoken of, and after 10 it is given up: 124.
__recourse_round() {
  local __rc_kind=$1 __rc_line=$2 __rc_options=$3 __rc_shown=$4 __rc_answer
  local -i __rc_left=3 __rc_start
  builtin shift 4
  [[ $__rc_kind == typed ]] || builtin set -- --shown "$@"
  [[ -z ${CDPATH-} ]] || __rc_options+=' cdpathset'
  coproc builtin exec "$__recourse_bin" hook shell --shell zsh --text --state --functions --answer "$@"
  {
    builtin printf '%s\0' "$__rc_options"
    [[ $__rc_kind == typed ]] && builtin alias -L
    builtin printf '\0%s\0' "${(F)${(@k)functions[(I)[^_]*]}}"
    [[ $__rc_kind == typed ]] || builtin printf '%s\0' "$__rc_shown"
    builtin printf '%s\0' "$__rc_line"
  } 2>/dev/null >&p
  while builtin :; do
    __rc_answer='' __rc_start=SECONDS
    if IFS= builtin read -r ${${__rc_left:#0}:+-t$__rc_left} -p __rc_answer; then
      case $__rc_answer in
        # It is alive, and a person may be asked.
        ('?') __rc_left=0 ;;
        (3) IFS= builtin read -r -p __rc_answer; __recourse_bodies "$__rc_line" 2>/dev/null >&p ;;
        (*) builtin break ;;
      esac
    elif (( __rc_left && SECONDS - __rc_start >= __rc_left )); then
      if (( __rc_left == 3 )); then
        builtin print -u2 -r -- 'recourse: still looking (Ctrl-C drops the line)'
        __rc_left=7
      else
        builtin kill -KILL $! 2>/dev/null
        builtin return 124
      fi
    else
      builtin wait $! 2>/dev/null
      __rc_left=$?
      # It ended without an answer, whatever it says.
      case $__rc_left in (0 | 3 | 124 | 126 | 130) builtin return 125 ;; esac
      builtin return $__rc_left
    fi
  done
  __rc_kind=$__rc_answer
  while IFS= builtin read -r -p __rc_answer; do builtin print -r -- "$__rc_answer"; done
  builtin return $__rc_kind
}

# Name and text of the functions that a text names, of those that these name, and so on; then the values of the plain
# variables that all of these name; and an empty name.
__recourse_bodies() {
  local __rc_rest=$1 __rc_name __rc_body
  local -A __rc_seen
  local -aU __rc_later
  local -i __rc_count=0
  if [[ $1 == *'()'* || $1 == *function* ]]; then
    # A function that the line defines may be one that runs later by itself.
    __rc_later=(${${(M)${(v)widgets}:#user:*}#user:} $chpwd_functions $precmd_functions $preexec_functions $periodic_functions
      $zshaddhistory_functions $zshexit_functions $zsh_directory_name_functions)
  fi
  builtin setopt extendedglob
  while [[ $__rc_rest == *[^[:space:]]* ]]; do
    builtin set -- ${(s: :)__rc_rest//[^[:alnum:]_.:+-]/ } ${(s: :)__rc_rest//[^[:alnum:]_]/ }
    __rc_rest=
    for __rc_name; do
      # `*(+name)` calls it.
      __rc_name=${__rc_name#+}
      (( ! $+__rc_seen[$__rc_name] )) || builtin continue
      __rc_seen[$__rc_name]=1
      __rc_rest+=" ${aliases[$__rc_name]-}"
      __rc_body=${functions[$__rc_name]-}
      # Of those that are only loaded when they are called nothing is known.
      [[ -n $__rc_body && $__rc_body != builtin\ autoload* && $__rc_name != __recourse_* ]] || builtin continue
      (( ++__rc_count <= 64 )) || builtin continue
      builtin printf '%s\0%s\0' "$__rc_name" "$__rc_body"
      __rc_rest+=" $__rc_body"
    done
  done
  builtin printf '=\0'
  for __rc_name in ${(k)__rc_seen}; do
    (( ! ${__rc_later[(Ie)$__rc_name]} )) || builtin print -r -- "zle -N $__rc_name"
    [[ $__rc_name == [[:alpha:]_][[:alnum:]_]# && $__rc_name != __rc_* ]] || builtin continue
    case ${(Pt)__rc_name} in
      ('') builtin print -r -- "unset -v $__rc_name" ;;
      (scalar* | integer*) (( ${#${(P)__rc_name}} > 4096 )) || builtin print -r -- "$__rc_name=${(qq)${(P)__rc_name}}" ;;
    esac
  done
  [[ -z ${CDPATH-} ]] || builtin print -r -- "CDPATH=${(qq)CDPATH}"
  # Last, so that what `$_` is comes of it.
  builtin print -r -- ": ${(qq)__rc_under}"
  builtin printf '\0\0'
}

# Enter, while INT is trapped, or while something is called before our preexec that may end in an error, after which no
# other is called: a refused line is not accepted.
__recourse_accept_line() {
  # Before anything of ours is called.
  __rc_under=$_
  __recourse_heal
  local typed=$PREBUFFER$BUFFER comments=
  __rc_judged=''
  # Before a history expansion is done there is nothing to judge: preexec sees what comes of it.
  if { [[ $__rc_int == 1 ]] || ! __recourse_is_ahead; } &&
    [[ $typed == *[^[:space:]]* && $typed != *"${${histchars-!}:0:1}"* ]] && __recourse_whole "$typed"; then
    [[ -o interactivecomments ]] && comments=--comments
    builtin zle -I
    if __recourse_guard typed "$comments" "$typed"; then
      __rc_judged=$typed
    else
      if [[ -n $__rc_text && -z $PREBUFFER ]]; then
        BUFFER=$__rc_text
        CURSOR=$#BUFFER
      fi
      # Back into the editor as it was; lines before this one with it.
      if [[ -n $PREBUFFER ]]; then builtin zle .push-line-or-edit; else zle .reset-prompt; fi
      builtin return 1
    fi
  fi
  builtin zle .accept-line
}

# Whether the text is a whole command, as far as zsh's own lexer tells; otherwise more lines follow.
__recourse_whole() {
  builtin emulate -L zsh
  # Nothing of it is run: it is the body of a function that is not called, and no function when it does not parse.
  functions[__recourse_parse]=$1 2>/dev/null
  (( $+functions[__recourse_parse] )) || builtin return 1
  builtin unfunction __recourse_parse
  builtin return 0
}

# Whatever is about to run.
__recourse_preexec() {
  # Before anything of ours is called.
  __rc_under=$_
  __recourse_heal
  local __rc_options="${(j: :)${(k)options[(R)on]}}"
  builtin emulate -L zsh
  builtin setopt nolocaltraps
  # A function `preexec` of the user's asks first; then it is asked again from the list.
  if (( __rc_asked )); then
    __rc_asked=0
    builtin return 0
  fi
  [[ ${funcstack[2]-} != preexec ]] || __rc_asked=1
  local typed=$__rc_judged
  __rc_judged='' __rc_deny=0
  (( ${precmd_functions[(I)__recourse_precmd]} )) || precmd_functions+=(__recourse_precmd)
  [[ $3 == *(trap|source|eval|TRAP|. )* || -n ${functions[${3%%[[:space:];]*}]-} ]] && __rc_look=1
  [[ -n $typed && $typed == $1 ]] && builtin return 0
  if (( ! $+functions[__recourse_guard] )); then
    (( __rc_told & 1 )) || builtin print -u2 -r -- 'recourse: the hook was taken apart: lines are not judged'
    (( __rc_told |= 1 ))
    builtin return $__rc_strict
  fi
  # What was typed is shown: the third is what it comes to.
  __recourse_guard expanded '' "$3" "$__rc_options" "$1" && builtin return 0
  __rc_deny=1
  __rc_keep=${__rc_text:-$1}
  __recourse_look
  if [[ " $__rc_options " == *" debugbeforecmd "* ]]; then
    # A trap that returns where no function runs ends the line, with that status; the option, which zsh puts back, makes it
    # skip the command at hand as well, which may be an assignment or a definition.
    __rc_debug=${(M)${(f)__rc_traps}:#* DEBUG}
    __rc_debug=${__rc_debug:-trap - DEBUG}
    builtin trap '(( __rc_deny && ! ${#funcstack[@]} )) && { builtin setopt errexit; builtin return 130 }' DEBUG
  else
    builtin kill -INT $$
  fi
  builtin return 0
}

# zsh calls a function named `preexec` before those in the list, and none of them after an error in it: so it asks us first.
# What does not parse here, or is only loaded when it is called, stays: then Enter judges.
__recourse_ahead() {
  builtin emulate -L zsh
  builtin setopt noaliases
  local __rc_body=${functions[preexec]-}
  [[ -n $__rc_body && $__rc_body != *__recourse_preexec* && $__rc_body != builtin\ autoload* ]] || builtin return 0
  __rc_body=$'__recourse_preexec "$@"\n'$__rc_body
  __recourse_whole "$__rc_body" && functions[preexec]=$__rc_body
}

# Whether our part is called before anything else that may end in an error.
__recourse_is_ahead() {
  [[ ${preexec_functions:0:1} == __recourse_preexec && ( -z ${functions[preexec]-} || ${functions[preexec]} == *__recourse_preexec* ) ]]
}

# Finds out what becomes of SIGINT here: where no DEBUG trap comes before a command, a refused line is ended with it.
__recourse_look() {
  builtin emulate -L zsh
  __rc_look=0 __rc_int=0
  # A subshell would not tell: traps are its own there.
  [[ -o restricted ]] || () { builtin trap >| $1; __rc_traps=$(<$1) } =(:)
  if (( __rc_before )); then
    builtin return 0
  elif (( $+functions[TRAPINT] )) || [[ -n ${(M)${(f)__rc_traps}:#* (INT|SIGINT)} ]]; then
    __rc_int=1
    (( __rc_told & 2 )) ||
      builtin print -u2 -r -- 'recourse: INT is trapped or ignored here: lines are judged on Enter, and what is accepted in another way is stopped command by command'
    (( __rc_told |= 2 ))
  fi
}

__recourse_precmd() {
  __recourse_heal
  [[ -o debugbeforecmd ]] && (( ! __rc_before )) && __rc_before=1 __rc_look=1
  [[ -o debugbeforecmd ]] || (( ! __rc_before )) || __rc_before=0 __rc_look=1
  builtin emulate -L zsh
  builtin setopt nolocaltraps
  if (( __rc_deny )); then
    __rc_deny=0
    [[ -z $__rc_debug ]] || builtin eval "builtin $__rc_debug"
    __rc_debug=''
    # The refused line goes back into the editor.
    [[ -z $__rc_keep ]] || builtin print -rz -- "$__rc_keep"
  fi
  __rc_keep='' __rc_judged='' __rc_asked=0
  __recourse_ahead
  # What somebody took out comes back, and to the front.
  [[ ${preexec_functions[1]-} == __recourse_preexec ]] ||
    preexec_functions=(__recourse_preexec ${preexec_functions:#__recourse_preexec})
  (( ! __rc_look )) || __recourse_look
}

builtin zle -N accept-line __recourse_accept_line
# Ours first: an error in another would keep it from being called.
typeset -ga preexec_functions precmd_functions
preexec_functions=(__recourse_preexec ${preexec_functions:#__recourse_preexec})
precmd_functions=(${precmd_functions:#__recourse_precmd} __recourse_precmd)
__recourse_ahead
# For `recourse doctor`: which shell, how far covered, and which process this is about.
builtin export RECOURSE_SHELL_HOOK="zsh:full:$$"
fi
