import type { DescribedCommand, DescribedOption, DescribedValue } from './described-command.ts';

/**
 * The completion script for fish. Only the first word can be the command: a later word with the
 * same name has another meaning.
 */
export function fishScript(commands: readonly DescribedCommand[]): string {
  const names = [...commands, { name: 'help', summary: 'explain a command' }];
  return `# Completion of chancery for fish, made by: chancery completion fish
function __chancery_words
    set -l words (commandline -opc)
    test (count $words) -eq $argv[1]
end
function __chancery_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = $argv[1]
end
complete -c chancery -f
complete -c chancery -n '__chancery_words 1' -l help -d 'print the commands'
complete -c chancery -n '__chancery_words 1' -l version -d 'print the version'
${names.map(({ name, summary }) => `complete -c chancery -n '__chancery_words 1' -a ${name} -d ${quoted(summary)}`).join('\n')}
${commands.map(commandLines).join('\n')}
complete -c chancery -n '__chancery_command help' -a ${quoted(commands.map(({ name }) => name).join(' '))}
`;
}

function commandLines({ name, options, first, others }: DescribedCommand): string {
  const when = `__chancery_command ${name}`;
  return [
    ...options.map((option) => optionLine(when, option)),
    ...valueLine(`${when}; and __chancery_words 2`, first),
    ...valueLine(`${when}; and not __chancery_words 2`, others),
  ].join('\n');
}

function optionLine(when: string, option: DescribedOption): string {
  const { long, short, argument, meaning, words, isPath } = option;
  return [
    `complete -c chancery -n ${quoted(when)} -l ${long.slice(2)}`,
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    ...(argument === undefined ? [] : [isPath ? '-rF' : '-x']),
    ...(words.length === 0 ? [] : [`-a ${quoted(words.join(' '))}`]),
    `-d ${quoted(meaning)}`,
  ].join(' ');
}

function valueLine(when: string, { words, isPath }: DescribedValue): readonly string[] {
  const line = `complete -c chancery -n ${quoted(when)}`;
  const files = isPath ? [`${line} -F`] : [];
  return words.length > 0 ? [`${line} -a ${quoted(words.join(' '))}`, ...files] : files;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
