import type { DescribedCommand, DescribedOption, DescribedValue } from './described-command.ts';

/**
 * The completion script for zsh, which uses `_arguments`. It works as a file in `fpath`, and in
 * `eval` after `compinit`.
 */
export function zshScript(commands: readonly DescribedCommand[]): string {
  const names = [...commands, { name: 'help', summary: 'explain a command' }].map(
    ({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(':', '\\:')}`)}`,
  );
  return `#compdef chancery
# Completion of chancery for zsh, made by: chancery completion zsh
_chancery() {
  local -a commands
  commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    _arguments '--help[print the commands]' '--version[print the version]'
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(commandCase).join('\n')}
    help) _describe -t commands command commands ;;
  esac
}
if [ "\${funcstack[1]}" = _chancery ]; then _chancery "$@"; else compdef _chancery chancery; fi
`;
}

function commandCase({ name, options, first, others }: DescribedCommand): string {
  const specs = [
    ...options.flatMap(optionSpecs),
    `1:${name}:${actionOf(first)}`,
    `*:${name}:${actionOf(others)}`,
  ];
  return `    ${name})
      _arguments -s -S \\
${specs.map((spec) => `        ${quoted(spec)}`).join(' \\\n')}
      ;;`;
}

/** The specifications of an option. An asterisk means that the option may be repeated. */
function optionSpecs({
  long,
  short,
  argument,
  meaning,
  ...value
}: DescribedOption): readonly string[] {
  const text = meaning.replaceAll(/[\\[\]:]/g, (sign) => `\\${sign}`);
  const after = argument === undefined ? '' : `:${argument}:${actionOf(value)}`;
  const isSwitch = argument === undefined;
  return [
    `*${long}${isSwitch ? '' : '='}[${text}]${after}`,
    ...(short === undefined ? [] : [`*${short}${isSwitch ? '' : '+'}[${text}]${after}`]),
  ];
}

function actionOf({ words, isPath }: DescribedValue): string {
  const named = `(${words.join(' ')})`;
  if (words.length > 0 && isPath) {
    return `{_alternative 'words:word:${named}' 'files:file:_files'}`;
  }
  if (words.length > 0) return named;
  return isPath ? '_files' : ' ';
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
