import { ConfigurationError } from 'chancery/internal-objects';
import { findKubectl } from './kubectl.ts';
import { type AmbassadorFilter, KubectlProxy, type KubectlProxyOptions } from './kubectl-proxy.ts';
import { StandInAmbassador } from './stand-in-ambassador.ts';

/** The proxy between an operator and its API server, like in the operator's Pod. */
export interface Ambassador {
  /** The URL of the ambassador: `http://127.0.0.1:PORT`. After a restart, the port is the same. */
  readonly url: string;
  /** Resolves when the ambassador listens. After `kill`, it can be started again on the same port. */
  start(): Promise<void>;
  /** Ends the ambassador at once, like a crash: its connections break. Further calls do nothing. */
  kill(): Promise<void>;
  /** Keeps connections open without answering, until `thaw`. */
  freeze(): void;
  thaw(): void;
}

/**
 * - `kubectl`: a real `kubectl proxy` process.
 * - `stand-in`: a server in this process that filters, refuses and fails like `kubectl proxy`, as far as an
 *   operator notices. It is for machines without kubectl.
 */
export type AmbassadorKind = 'kubectl' | 'stand-in';

const KINDS: readonly AmbassadorKind[] = ['kubectl', 'stand-in'];

export interface AmbassadorOptions {
  /** The URL of an API server that needs no credentials. */
  readonly server: string;
  /**
   * The requests that the ambassador accepts. If omitted, it uses kubectl's default: everything except `exec`
   * and `attach`.
   */
  readonly filter?: AmbassadorFilter;
  /**
   * The kind of ambassador. If omitted, the value of `CHANCERY_TEST_AMBASSADOR`, or `kubectl` if this
   * variable is unset.
   */
  readonly kind?: AmbassadorKind;
  /** How the real kubectl reaches the API server, if it needs more than the URL in `server`. */
  readonly kubectl?: KubectlProxyOptions;
  /** The environment variables. If omitted, those of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts an ambassador on a free port of the loopback. The caller must end it with `kill`.
 *
 * The environment decides the kind, so that the same test runs behind the stand-in on a machine
 * without kubectl, and behind a real `kubectl proxy` elsewhere.
 *
 * @throws ConfigurationError `CONFIG` when `CHANCERY_TEST_AMBASSADOR` is invalid, when kubectl is
 * missing, and with kubectl's own message when it does not start.
 */
export async function startAmbassador(options: AmbassadorOptions): Promise<Ambassador> {
  const { server, filter, environment = process.env } = options;
  const kind = options.kind ?? chooseAmbassador(environment);
  const ambassador =
    kind === 'stand-in'
      ? new StandInAmbassador({ server, ...(filter && { filter }) })
      : new KubectlProxy({
          ...(options.kubectl ?? { kubectl: requireKubectl(environment), server }),
          ...(filter && { filter }),
        });
  await ambassador.start();
  return ambassador;
}

/**
 * The kind of ambassador in the environment variable `CHANCERY_TEST_AMBASSADOR`. If this variable is unset,
 * the kind is `kubectl`.
 *
 * @throws ConfigurationError `CONFIG` for any other value.
 */
export function chooseAmbassador(
  environment: Readonly<Record<string, string | undefined>>,
): AmbassadorKind {
  const named = environment.CHANCERY_TEST_AMBASSADOR?.trim();
  if (!named) return 'kubectl';
  const kind = KINDS.find((known) => known === named);
  if (kind !== undefined) return kind;
  throw new ConfigurationError(
    `CHANCERY_TEST_AMBASSADOR must be ${KINDS.join(' or ')}, not ${JSON.stringify(named)}`,
  );
}

function requireKubectl(environment: Readonly<Record<string, string | undefined>>): string {
  const kubectl = findKubectl(environment);
  if (kubectl !== undefined) return kubectl;
  throw new ConfigurationError(
    'no kubectl found for an ambassador: install it, set KUBECTL to its path, or set CHANCERY_TEST_AMBASSADOR=stand-in',
  );
}
