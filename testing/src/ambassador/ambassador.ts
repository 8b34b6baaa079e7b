import { ConfigurationError } from 'chancery/internal-objects';
import { findKubectl } from './kubectl.ts';
import { type AmbassadorFilter, KubectlProxy, type KubectlProxyOptions } from './kubectl-proxy.ts';
import { StandInAmbassador } from './stand-in-ambassador.ts';

/** What stands between an operator and its API server, as in its Pod. */
export interface Ambassador {
  /** `http://127.0.0.1:PORT`; the port stays the same over restarts. */
  readonly url: string;
  /** Resolves when it listens. After `kill` it can be started again, on the same port. */
  start(): Promise<void>;
  /** Ends it at once, as a crash does: its connections break. Again does nothing. */
  kill(): Promise<void>;
  /** Connections stay open and nothing answers, until `thaw`. */
  freeze(): void;
  thaw(): void;
}

/**
 * - `kubectl`: a real `kubectl proxy` process.
 * - `stand-in`: a server in this process that filters, refuses and fails as `kubectl proxy` does
 *   where an operator sees a difference; for machines without kubectl.
 */
export type AmbassadorKind = 'kubectl' | 'stand-in';

const KINDS: readonly AmbassadorKind[] = ['kubectl', 'stand-in'];

export interface AmbassadorOptions {
  /** URL of an API server that asks for no credentials. */
  readonly server: string;
  /** Default: kubectl's own, which accepts all but `exec` and `attach`. */
  readonly filter?: AmbassadorFilter;
  /** Default: what `CHANCERY_TEST_AMBASSADOR` says; `kubectl` when it says nothing. */
  readonly kind?: AmbassadorKind;
  /** How the real one reaches its API server, where that takes more than `server`. */
  readonly kubectl?: KubectlProxyOptions;
  /** Default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts an ambassador on any free port of the loopback. The caller ends it with `kill`.
 *
 * The kind comes from the environment, so that one test body runs behind the stand-in on a machine
 * that has only Node, and behind a real `kubectl proxy` where there is one.
 *
 * @throws ConfigurationError `CONFIG` when `CHANCERY_TEST_AMBASSADOR` names no kind, when there is
 *   no kubectl, and with kubectl's own words when it does not start.
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
 * The kind of ambassador that the environment asks for: `CHANCERY_TEST_AMBASSADOR`; else `kubectl`.
 *
 * @throws ConfigurationError `CONFIG` for a value that is none of these.
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
