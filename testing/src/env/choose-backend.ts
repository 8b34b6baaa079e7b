import { ConfigurationError } from 'chancery/internal-objects';

/**
 * What an environment runs on.
 *
 * - `embedded`: the embedded API server, in this process.
 * - `kubebuilder`: etcd and kube-apiserver, started from the directory `KUBEBUILDER_ASSETS`.
 * - `existing`: the cluster of a kubeconfig.
 */
export type TestBackend = 'embedded' | 'kubebuilder' | 'existing';

const BACKENDS: readonly TestBackend[] = ['embedded', 'kubebuilder', 'existing'];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The backend that the environment asks for: `CHANCERY_TEST_ENV`; else `existing` when
 * `USE_EXISTING_CLUSTER` is true; else `embedded`.
 *
 * `KUBEBUILDER_ASSETS` by itself chooses nothing: it is set on many machines for other projects, and
 * what a test runs on should not depend on that.
 *
 * @throws ConfigurationError `CONFIG` for a value that is none of these.
 */
export function chooseBackend(environment: Environment): TestBackend {
  const named = environment.CHANCERY_TEST_ENV?.trim();
  if (named) {
    const backend = BACKENDS.find((known) => known === named);
    if (backend !== undefined) return backend;
    throw new ConfigurationError(
      `CHANCERY_TEST_ENV must be ${BACKENDS.join(', ')}, not ${JSON.stringify(named)}`,
    );
  }
  return isTrue('USE_EXISTING_CLUSTER', environment) ? 'existing' : 'embedded';
}

/** As Go's strconv.ParseBool, by which the ecosystem reads these variables. */
export function isTrue(name: string, environment: Environment): boolean {
  const text = environment[name]?.trim() ?? '';
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true;
  if (/^(?:0|f|F|FALSE|false|False)?$/.test(text)) return false;
  throw new ConfigurationError(`${name} must be true or false, not ${JSON.stringify(text)}`);
}
