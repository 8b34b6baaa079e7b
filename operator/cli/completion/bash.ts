import type { DescribedCommand, DescribedValue } from './described-command.ts';

/**
 * The completion script for bash 3.2, the version of macOS, and later versions. So it uses no
 * `compopt`, no `mapfile`, and no associative arrays.
 *
 * `IFS` is a line break, so that a path may contain spaces. Bash splits `--output=json` into three
 * words.
 */
export function bashScript(commands: readonly DescribedCommand[]): string {
  const names = [...commands.map(({ name }) => name), 'help', '--help', '--version'];
  return `# Completion of chancery for bash, made by: chancery completion bash
_chancery() {
  local IFS=$'\\n' cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="\${COMP_WORDS[1]}" at=$COMP_CWORD
  COMPREPLY=()
  if [ "$cur" = "=" ]; then
    cur=""
  elif [ "$prev" = "=" ]; then
    prev="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  if [ "$at" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${list(names)} -- "$cur"))
    return
  fi
  case "$command $prev" in
${commands.flatMap(optionCases).join('\n')}
  esac
  case "$command" in
${commands.map(commandCase).join('\n')}
    help) COMPREPLY=($(compgen -W ${list(commands.map(({ name }) => name))} -- "$cur")) ;;
  esac
}
complete -o filenames -F _chancery chancery
`;
}

/** The branches of a `case` statement, one for each option that has a value. */
function optionCases({ name, options }: DescribedCommand): readonly string[] {
  return options.flatMap(({ long, short, argument, ...value }) => {
    if (argument === undefined) return [];
    const spelled = [long, short].filter((each) => each !== undefined);
    const patterns = spelled.map((each) => `"${name} ${each}"`).join(' | ');
    return [`    ${patterns}) ${replyWith(value)} return ;;`];
  });
}

function commandCase({ name, options, first, others }: DescribedCommand): string {
  const spelled = options.flatMap(({ long, short }) =>
    short === undefined ? [long] : [long, short],
  );
  return `    ${name})
      case "$cur" in
        -*) COMPREPLY=($(compgen -W ${list(spelled)} -- "$cur")) ;;
        *) if [ "$at" -eq 2 ]; then ${replyWith(first)} else ${replyWith(others)} fi ;;
      esac
      ;;`;
}

/** A shell statement that sets the possible values as the completion. */
function replyWith({ words, isPath }: DescribedValue): string {
  if (words.length === 0 && !isPath) return ':;';
  const named = words.length === 0 ? '' : `-W ${list(words)} `;
  return `COMPREPLY=($(compgen ${isPath ? '-f ' : ''}${named}-- "$cur"));`;
}

/** The words for `compgen -W`, which splits them at line breaks. They are names and contain no quote. */
function list(words: readonly string[]): string {
  return `$'${words.join('\\n')}'`;
}
