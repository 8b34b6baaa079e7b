import { ConfigurationError } from 'chancery';
import type { ExitCode, GivenTo, Io, PLUGIN } from 'chancery/internal';

/**
 * `chancery plugin`: implements the protocol of kubebuilder's plugins, and installs itself as a
 * plugin.
 */
export async function plugin({ values, words }: GivenTo<typeof PLUGIN>, io: Io): Promise<ExitCode> {
  const [word, ...others] = words;
  if (others.length > 0 || (word !== 'kubebuilder' && word !== 'install')) {
    const got = words.map((each) => JSON.stringify(each)).join(' ');
    throw new ConfigurationError(`expected kubebuilder or install; got ${got}`);
  }
  if (word === 'install') {
    return (await import('./install.ts')).installPlugin({ dir: values.dir }, io);
  }
  if (values.dir !== undefined) throw new ConfigurationError('--dir is for install only');
  return (await import('./kubebuilder.ts')).answerKubebuilder(io);
}
