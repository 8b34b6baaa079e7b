import { ConfigurationError } from 'chancery';
import {
  type Command,
  type ExitCode,
  type Io,
  PLUGIN_DESCRIPTION,
  parseFlags,
} from 'chancery/internal';

const FLAGS = {
  dir: { type: 'string' },
} as const;

/** `chancery plugin`: speaks the protocol of kubebuilder's plugins, and installs itself as one. */
export function pluginCommand(): Pick<Command, 'run'> {
  return {
    async run(args: readonly string[], io: Io): Promise<ExitCode> {
      if (args.length === 0) {
        io.stderr.write(PLUGIN_DESCRIPTION.help);
        return 2;
      }
      const { positionals, values } = parseFlags(args, FLAGS);
      const [word, ...others] = positionals;
      if (others.length > 0 || (word !== 'kubebuilder' && word !== 'install')) {
        const got = positionals.map((each) => JSON.stringify(each)).join(' ');
        throw new ConfigurationError(`expected kubebuilder or install; got ${got}`);
      }
      if (word === 'install') {
        return (await import('./install.ts')).installPlugin({ dir: values.dir }, io);
      }
      if (values.dir !== undefined) throw new ConfigurationError('--dir is for install only');
      return (await import('./kubebuilder.ts')).answerKubebuilder(io);
    },
  };
}
