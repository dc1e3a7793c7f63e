# recourse for zsh: every line is judged before it runs. Put at the end of ~/.zshrc:  eval "$(recourse init zsh)"
# To remove it, delete that line and start a new shell (`recourse init zsh --uninstall` says the same).
#
# A line is judged in preexec, as it will run: whole, history and aliases expanded, however it was accepted. SIGINT to this
# shell then drops it, and it comes back into the editor. Where INT is trapped or ignored, a widget on Enter judges first, and
# a DEBUG trap stops what did not come through it.
# Names begin with __recourse_ and __rc_.

if [[ -o interactive && -n ${ZSH_VERSION-} ]]; then

# What a parent process may have exported is not ours.
unset __recourse_bin __rc_text __rc_deny __rc_judged __rc_told __rc_strict __rc_keep __rc_debug __rc_traps __rc_int __rc_look
typeset -g __recourse_bin=@BINARY@
typeset -g __rc_judged='' __rc_keep='' __rc_debug='' __rc_traps='' __rc_text=''
typeset -gi __rc_deny=0 __rc_told=0 __rc_strict=0 __rc_int=0 __rc_look=1
case ${RECOURSE_SHELL_STRICT-} in ('' | 0 | false | no) ;; (*) __rc_strict=1 ;; esac

zmodload -F zsh/parameter +p:functions +p:aliases 2>/dev/null
autoload -Uz add-zsh-hook

# Asks the guard about a line. 0: it may run.
__recourse_guard() {
  emulate -L zsh
  local -i code
  local -a comments
  [[ $1 == typed ]] && comments=($2)
  if [[ ! -x $__recourse_bin ]]; then
    code=127
  else
    __rc_text=$({
      [[ $1 == typed ]] && builtin alias -L
      builtin printf '\0%s\0%s' "${(F)${(@k)functions[(I)[^_]*]}}" "$3"
      __recourse_bodies "$3"
    } 2>/dev/null | "$__recourse_bin" hook shell --shell zsh --text $comments)
    code=$?
  fi
  case $code in
    (0) return 0 ;;
    (126 | 130) return 1 ;;
  esac
  if (( ! (__rc_told & 1) )); then
    (( __rc_told |= 1 ))
    builtin print -u2 -r -- "recourse: the guard failed (status $code of $__recourse_bin): lines are not judged${${__rc_strict:#0}:+, and refused}; mend it, or take recourse out of your startup file"
  fi
  return $__rc_strict
}

# Name and text of the functions that a text names, of those that these name, and so on.
__recourse_bodies() {
  local text=$1 name body
  local -A seen
  local -i count=0
  builtin printf '\0'
  while [[ $text == *[^[:space:]]* ]]; do
    set -- ${=text//[^[:alnum:]_.:+-]/ }
    text=
    for name; do
      (( ! $+seen[$name] )) || continue
      seen[$name]=1
      text+=" ${aliases[$name]-}"
      body=${functions[$name]-}
      # Of those that are only loaded when they are called nothing is known.
      [[ -n $body && $body != builtin\ autoload* && $name != __recourse_* ]] || continue
      (( ++count <= 64 )) || return
      builtin printf '%s\0%s\0' "$name" "$body"
      text+=" $body"
    done
  done
}

# Enter, while INT is trapped: a refused line is not accepted.
__recourse_accept_line() {
  local typed=$PREBUFFER$BUFFER comments=
  __rc_judged=''
  # Before a history expansion is done there is nothing to judge: preexec sees what comes of it.
  if (( __rc_int )) && [[ $typed == *[^[:space:]]* && $typed != *"${histchars[1]:-!}"* ]] && __recourse_whole "$typed"; then
    [[ -o interactivecomments ]] && comments=--comments
    zle -I
    if __recourse_guard typed "$comments" "$typed"; then
      __rc_judged=$typed
    else
      if [[ -n $__rc_text && -z $PREBUFFER ]]; then
        BUFFER=$__rc_text
        CURSOR=$#BUFFER
      fi
      # Back into the editor as it was; lines before this one with it.
      if [[ -n $PREBUFFER ]]; then zle .push-line-or-edit; else zle .reset-prompt; fi
      return 1
    fi
  fi
  zle .accept-line
}

# Whether the text is a whole command, as far as zsh's own lexer tells; otherwise more lines follow.
__recourse_whole() {
  emulate -L zsh
  # Nothing of it is run: it is the body of a function that is not called, and no function when it does not parse.
  functions[__recourse_parse]=$1 2>/dev/null
  (( $+functions[__recourse_parse] )) || return 1
  unfunction __recourse_parse
  return 0
}

# Whatever is about to run.
__recourse_preexec() {
  emulate -L zsh
  setopt nolocaltraps
  local typed=$__rc_judged
  __rc_judged='' __rc_deny=0
  (( ${precmd_functions[(I)__recourse_precmd]} )) || add-zsh-hook precmd __recourse_precmd
  [[ $3 == *(trap|source|eval|TRAP|. )* || -n ${functions[${3%%[[:space:];]*}]-} ]] && __rc_look=1
  [[ -n $typed && $typed == $1 ]] && return 0
  if (( ! $+functions[__recourse_guard] )); then
    (( __rc_told & 1 )) || builtin print -u2 -r -- 'recourse: the hook was taken apart: lines are not judged'
    (( __rc_told |= 1 ))
    return $__rc_strict
  fi
  __recourse_guard expanded '' "$3" && return 0
  __rc_deny=1
  __rc_keep=${__rc_text:-$1}
  __recourse_look
  if (( ! __rc_int )); then
    kill -INT $$
  else
    __rc_debug=${(M)${(f)__rc_traps}:#* DEBUG}
    __rc_debug=${__rc_debug:-trap - DEBUG}
    trap '(( __rc_deny && ! $#funcstack )) && setopt errexit' DEBUG
  fi
  return 0
}

# Finds out what becomes of SIGINT here.
__recourse_look() {
  emulate -L zsh
  __rc_look=0 __rc_int=0
  # A subshell would not tell: traps are its own there.
  () { builtin trap >| $1; __rc_traps=$(<$1) } =(:)
  if (( $+functions[TRAPINT] )) || [[ -n ${(M)${(f)__rc_traps}:#* (INT|SIGINT)} ]]; then
    __rc_int=1
    (( __rc_told & 2 )) ||
      builtin print -u2 -r -- 'recourse: INT is trapped or ignored here: lines are judged on Enter, and what is accepted in another way is stopped command by command'
    (( __rc_told |= 2 ))
  fi
}

__recourse_precmd() {
  emulate -L zsh
  setopt nolocaltraps
  if (( __rc_deny )); then
    __rc_deny=0
    [[ -z $__rc_debug ]] || eval "$__rc_debug"
    __rc_debug=''
    # The refused line goes back into the editor.
    [[ -z $__rc_keep ]] || builtin print -rz -- "$__rc_keep"
  fi
  __rc_keep='' __rc_judged=''
  # What somebody took out comes back.
  (( ${preexec_functions[(I)__recourse_preexec]} )) || add-zsh-hook preexec __recourse_preexec
  (( ! __rc_look )) || __recourse_look
}

zle -N accept-line __recourse_accept_line
add-zsh-hook preexec __recourse_preexec
add-zsh-hook precmd __recourse_precmd
# For `recourse doctor`: which shell, how far covered, and which process this is about.
export RECOURSE_SHELL_HOOK="zsh:full:$$"
fi
