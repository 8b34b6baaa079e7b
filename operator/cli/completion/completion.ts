import { ConfigurationError } from '../../core/errors.ts';
import type { Command, ExitCode, Io } from '../command.ts';
import { parseFlags } from '../flags.ts';
import { bashScript } from './bash.ts';
import { type DescribedCommand, describedCommand } from './described-command.ts';
import { fishScript } from './fish.ts';
import { COMPLETION_DESCRIPTION } from './help.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS: Readonly<Record<string, (commands: readonly DescribedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `chancery completion`: prints the completion of `commands` for a shell. */
export function completionCommand(commands: readonly Omit<Command, 'run'>[]): Command {
  return {
    ...COMPLETION_DESCRIPTION,

    async run(args: readonly string[], { stdout, stderr }: Io): Promise<ExitCode> {
      const { positionals } = parseFlags(args, {});
      const [shell, surplus] = positionals;
      if (shell === undefined) {
        stderr.write(COMPLETION_DESCRIPTION.help);
        return 2;
      }
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
      if (script === undefined || surplus !== undefined) {
        const got = JSON.stringify(surplus === undefined ? shell : positionals.join(' '));
        throw new ConfigurationError(`expected bash, zsh or fish; got ${got}`);
      }
      stdout.write(script(commands.map(describedCommand)));
      return 0;
    },
  };
}
