/**
 * `chancery completion zsh` in a real zsh: an interactive one on a terminal of its own, in which Tab is pressed.
 *
 * @module-tag zsh
 */
import { folderFor, runShell, testsOf } from './completion-cases.ts';

/** Writes what each call of `compadd` would offer to the file `offered`, and ends when Tab is done. */
const INTERACTIVE = `
PROMPT= RPROMPT=
autoload -U compinit
compinit -u -D
source ./script
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then
    builtin compadd "$@"
    return
  fi
  local -a offered
  builtin compadd -A offered "$@"
  print -rl -- $offered >> offered
  builtin compadd "$@"
}
finished() { print -r -- END >> offered; exit 0 }
comppostfuncs=(finished)
bindkey '^I' list-choices
print -r -- READY >> offered
`;

/** Starts the shell that is tested on a terminal, types the line and Tab, and prints what was offered. */
const DRIVER = `
zmodload zsh/zpty
zmodload zsh/zselect
: > offered
zpty -b shell "ZDOTDIR=$PWD $SHELL_UNDER_TEST -i"
typed=
repeat 600; do
  while zpty -rt shell text 2> /dev/null; do :; done
  if [[ -z $typed ]] && grep -q READY offered; then
    zpty -wn shell "$(< line)"$'\\t'
    typed=yes
  fi
  grep -q END offered && break
  zselect -t 5
done
zpty -d shell
grep -vE '^(READY|END|)$' offered || true
`;

async function complete(words: readonly string[]): Promise<readonly string[]> {
  const line = ['chancery', ...words.map((word) => word.replaceAll(' ', '\\ '))].join(' ');
  const folder = await folderFor('zsh');
  const program = `print -rn -- ${quoted(line)} > line\nprint -r -- ${quoted(INTERACTIVE)} > .zshrc\n${DRIVER}`;
  const printed = await runShell('zsh', folder, program);
  const offered = printed.split('\n').filter((row) => row !== '');
  return [...new Set(offered.map((row) => row.replaceAll('\\ ', ' ')))].sort();
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

testsOf(complete);
