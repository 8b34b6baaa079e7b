import { ConfigurationError } from 'chancery/internal-objects';

/**
 * The API server of a test environment.
 *
 * - `embedded`: the embedded API server, in this process.
 * - `kubebuilder`: etcd and kube-apiserver, started from the directory `KUBEBUILDER_ASSETS`.
 * - `existing`: the cluster of a kubeconfig.
 */
export type TestBackend = 'embedded' | 'kubebuilder' | 'existing';

const BACKENDS: readonly TestBackend[] = ['embedded', 'kubebuilder', 'existing'];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The backend that the environment variables select: `CHANCERY_TEST_ENV`, otherwise `existing` if
 * `USE_EXISTING_CLUSTER` is true, otherwise `embedded`.
 *
 * `KUBEBUILDER_ASSETS` alone selects nothing. Many machines set it for other projects, and it
 * should not decide which server a test uses.
 *
 * @throws ConfigurationError `CONFIG` for an invalid value.
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

/** Parses a boolean as Go's strconv.ParseBool does, like other tools that read these variables. */
export function isTrue(name: string, environment: Environment): boolean {
  const text = environment[name]?.trim() ?? '';
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true;
  if (/^(?:0|f|F|FALSE|false|False)?$/.test(text)) return false;
  throw new ConfigurationError(`${name} must be true or false, not ${JSON.stringify(text)}`);
}
