import type { Client } from '../../client/client.ts';
import { definedResources } from '../../controller/controller.ts';
import type { Log } from '../../controller/reconciler.ts';
import { exponentialBackoff } from '../../core/backoff.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { ConfigurationError, messageOf, OperatorError } from '../../core/errors.ts';
import type { DefinedResource } from '../../model/custom-resource-definition.ts';
import type { HealthCheck } from '../http/health-server.ts';
import { ensureCrd } from './ensure-crds.ts';

interface DefinitionInstallerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  /** A namespace that the operator may read from. */
  readonly namespace: string;
  /** Like `force` of `ensureCrd`. Default false. */
  readonly force?: boolean;
}

/**
 * Milliseconds between two attempts. With at most 30 s, an administrator who grants a right soon sees whether
 * it was enough.
 */
const AGAIN = { initialMs: 1_000, maxMs: 30_000 } as const;

/** The maximum number of reasons that are remembered, so that each reason is logged only once. */
const MAX_REPORTED = 100;

/**
 * Installs the definitions of an operator before anything else starts. Waits without a limit until they are
 * installed.
 */
export class DefinitionInstaller {
  readonly #options: DefinitionInstallerOptions;
  readonly #reported = new Set<string>();
  /** Maps the name of each definition that is not installed to the reason. */
  readonly #missing = new Map<string, string>();

  constructor(options: DefinitionInstallerOptions) {
    this.#options = options;
  }

  /** Readiness check `definitions`: fails while a definition cannot be installed. */
  get check(): HealthCheck {
    return {
      name: 'definitions',
      ok: () => this.#missing.size === 0,
      why: () => ({ missing: Object.fromEntries(this.#missing) }),
    };
  }

  /**
   * Resolves when every definition of `controllers`, or a newer one, is installed.
   *
   * Each reason for a failure (a missing right, another field manager, a name that is already used, an
   * unreachable API server) is logged once, and the installation is retried. A restart would not help,
   * because the cluster would still be the same. If this method did not wait, the operator would work with a
   * definition that it was not built for. If the operator may not read a definition, this method waits until
   * the resource is served, and logs a warning that someone else has installed the definition.
   *
   * @throws ConfigurationError `CONFIG` when two controllers have different definitions of a resource.
   * @throws `signal.reason` when aborted.
   */
  async install(
    declared: Parameters<typeof definedResources>[0],
    signal: AbortSignal,
  ): Promise<void> {
    const again = exponentialBackoff(AGAIN);
    let wanted = definedResources(declared);
    for (;;) {
      const left: DefinedResource[] = [];
      const retryInMs = again.nextMs();
      for (const resource of wanted) {
        if (!(await this.#isInstalled(resource, retryInMs, signal))) left.push(resource);
      }
      if (left.length === 0) return;
      wanted = left;
      await sleep(this.#options.clock, retryInMs, signal);
    }
  }

  async #isInstalled(
    resource: DefinedResource,
    retryInMs: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, clock, log, force = false } = this.#options;
    const { name } = resource.definition.metadata;
    try {
      await ensureCrd(client, resource, { clock, log, signal, force });
      this.#missing.delete(name);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof OperatorError)) throw error;
      this.#report(name, error, retryInMs);
      if (!isUnreadable(error) || !(await this.#isServed(resource, signal))) return false;
      log.warn({ definition: name }, 'definition may not be read, and is taken as it is served');
      this.#missing.delete(name);
      return true;
    }
  }

  async #isServed(resource: DefinedResource, signal: AbortSignal): Promise<boolean> {
    const { client, namespace } = this.#options;
    const anything = { name: 'anything', ...(resource.namespaced && { namespace }) };
    try {
      await client.find(resource, anything, { signal });
      return true;
    } catch {
      return false; // retried later
    }
  }

  #report(definition: string, err: OperatorError, retryInMs: number): void {
    this.#missing.set(definition, messageOf(err));
    const reason = `${definition} ${messageOf(err)}`;
    if (this.#reported.has(reason)) return;
    if (this.#reported.size >= MAX_REPORTED) this.#reported.clear();
    this.#reported.add(reason);
    const remedy =
      'or install the definition in another way, and leave CHANCERY_INSTALL_CRDS out: the operator waits until it is served';
    this.#options.log.error(
      { definition, err, retryInMs, remedy },
      'definition cannot be installed, the operator waits for that',
    );
  }
}

/**
 * True when the definition cannot be read. Then the operator can only find out whether the resource is
 * served.
 */
function isUnreadable(error: OperatorError): boolean {
  return error instanceof ConfigurationError && error.context.verb === 'get';
}
