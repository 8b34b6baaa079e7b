import type { Log } from '../controller/reconciler.ts';
import { exposedVariables } from '../process/closed-to-programs.ts';
import type { Io } from './command.ts';

/**
 * Matches the variables that Kubernetes, the toolkit, its images and shells set. None of them
 * contains a secret.
 */
const HARMLESS =
  /^(?:(?:CHANCERY|KUBERNETES|POD)_.*|NODE_(?:ENV|NAME|VERSION)|YARN_VERSION|WATCH_NAMESPACE|PWD|OLDPWD|SHLVL|_)$/;

/**
 * In a Pod, warns of variables in the environment of this process. Programs that this process
 * starts can read them in /proc, even though they are not passed to these programs. Outside of a
 * Pod, the programs belong to the user at the terminal, so there is no warning.
 */
export async function warnOfExposedEnvironment(
  given: Readonly<Record<string, string>>,
  { env }: Pick<Io, 'env'>,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  if (env.POD_NAMESPACE === undefined) return;
  const exposed = (await exposedVariables(given)).filter((name) => !HARMLESS.test(name));
  if (exposed.length === 0) return;
  log.warn(
    { variables: exposed },
    'programs can read variables of the runner in /proc: see "The environment of the runner" in docs/guides/write/hooks.md',
  );
}
