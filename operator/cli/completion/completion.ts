import { ConfigurationError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../command.ts';
import type { CommandTable, GivenTo } from '../command-table.ts';
import { bashScript } from './bash.ts';
import { type DescribedCommand, describedCommand } from './described-command.ts';
import { fishScript } from './fish.ts';
import type { COMPLETION } from './table.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS: Readonly<Record<string, (commands: readonly DescribedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `chancery completion`: prints the script with which a shell completes the commands in `tables`. */
export async function completion(
  { words }: GivenTo<typeof COMPLETION>,
  { stdout }: Io,
  tables: readonly CommandTable[],
): Promise<ExitCode> {
  const [shell = '', surplus] = words;
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined || surplus !== undefined) {
    throw new ConfigurationError(
      `expected bash, zsh or fish; got ${JSON.stringify(words.join(' '))}`,
    );
  }
  stdout.write(script(tables.map(describedCommand)));
  return 0;
}
