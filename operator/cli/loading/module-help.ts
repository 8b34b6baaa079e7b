import type { Program } from '../../manager/with-arguments.ts';
import { wrappedTable } from '../help.ts';
import { loadModule } from './load-module.ts';

/** True when the arguments after `--` request the help of a module. */
export function asksForModuleHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const named = end < 0 ? args : args.slice(0, end);
  return named.includes('--help') || named.includes('-h');
}

/**
 * The arguments and variables of the modules at `paths`, for `chancery run MODULE --help`. Undefined when no
 * module declares any.
 *
 * @throws ConfigurationError `CONFIG` when a module cannot be loaded.
 */
export async function moduleHelp(paths: readonly string[]): Promise<string | undefined> {
  const sections: string[] = [];
  for (const path of paths) {
    const { program } = await loadModule(path);
    if (program !== undefined) sections.push(...sectionsOf(program, path));
  }
  if (sections.length === 0) return undefined;
  return `Usage: chancery run ${paths.join(' ')} [OPTION...] [-- ARGUMENT...]

${sections.join('\n')}
"chancery run --help" explains the options before "--", and the variables of every operator.
`;
}

function sectionsOf(program: Program, path: string): readonly string[] {
  const named = Object.entries(program.arguments).map(
    ([name, argument]) => [titleOf(name, argument), meaningOf(argument)] as const,
  );
  const rows = [...named, ...(program.positionals ?? [])];
  return [
    ...(rows.length > 0 ? [`Arguments of ${path}, after "--":\n${wrappedTable(rows)}\n`] : []),
    ...(program.environment.length > 0
      ? [`Environment of ${path}:\n${wrappedTable(program.environment)}\n`]
      : []),
  ];
}

type Argument = Program['arguments'][string];

function titleOf(name: string, argument: Argument): string {
  if (argument.type === 'boolean') return `--${name}`;
  return `--${name} ${argument.value ?? (argument.type === 'list' ? 'A,B' : 'TEXT')}`;
}

function meaningOf({ type, help, default: otherwise }: Argument): string {
  const repeats = type === 'list' ? '; may be repeated' : '';
  const text = Array.isArray(otherwise) ? otherwise.join(',') : String(otherwise ?? '');
  const isShown = text !== '' && text !== 'false';
  return `${help}${repeats}${isShown ? `; default ${text}` : ''}`;
}
