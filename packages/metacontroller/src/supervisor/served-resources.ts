import { type Clock, ConfigurationError, messageOf, OperatorError, type Resource } from 'chancery';
import { knownKinds, type RunnableContext } from 'chancery/internal';
import { groupAndVersion } from '../parse/parse-reference.ts';
import type { ResourceReference } from '../spec.ts';
import { refusal } from './refused.ts';
import { StartError } from './trouble.ts';

/**
 * Time for which an answer of discovery is reused. A definition may be replaced by one with another
 * scope.
 */
const KEEP_MS = 10_000;

const builtIn = knownKinds();

/**
 * Finds the resources to which controller objects refer. Built-in resources are found without the
 * network, because the generated filter does not allow discovery of their groups. All other
 * resources are found by discovery at the API server.
 */
export class ServedResources {
  readonly #discover: RunnableContext['discoverExactly'];
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly resource: Resource; readonly until: number }>();

  constructor({ discoverExactly, clock }: Pick<RunnableContext, 'discoverExactly' | 'clock'>) {
    this.#discover = discoverExactly;
    this.#clock = clock;
  }

  /**
   * The resource of this group, version and plural.
   *
   * @throws ConfigurationError `CONFIG` when the API server does not serve it; errors of discovery.
   */
  async find(
    { apiVersion, resource: plural }: ResourceReference,
    signal: AbortSignal,
  ): Promise<Resource> {
    const ofKubernetes = builtIn.ofReference(plural, apiVersion);
    if (ofKubernetes !== undefined) return ofKubernetes;
    const [group, version] = groupAndVersion(apiVersion);
    const now = this.#clock.monotonic();
    const name = `${apiVersion} ${plural}`;
    const known = this.#known.get(name);
    if (known !== undefined && now < known.until) return known.resource;
    this.#known.delete(name);
    const resource = await this.#discover({ group, version, plural }, signal);
    if (resource === undefined) throw notServed(apiVersion, plural);
    this.#known.set(name, { resource, until: now + KEEP_MS });
    return resource;
  }

  /**
   * The same as `find`, for a resource without which a controller cannot start.
   *
   * @param what - the reason of the error when the resource is not served: `ParentNotServed`.
   * @throws StartError.
   */
  async need(reference: ResourceReference, what: string, signal: AbortSignal): Promise<Resource> {
    const { apiVersion, resource } = reference;
    try {
      return await this.find(reference, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ConfigurationError) throw new StartError(what, error.message, error);
      if (!(error instanceof OperatorError)) throw error;
      const missing = refusal(error) ?? closedPath(error, apiVersion);
      const reason = missing === undefined ? 'DiscoveryFailed' : 'Forbidden';
      const why = missing ?? messageOf(error);
      throw new StartError(reason, `cannot find ${resource} in ${apiVersion}: ${why}`, error);
    }
  }
}

function notServed(apiVersion: string, plural: string): ConfigurationError {
  return new ConfigurationError(`the API server does not serve ${plural} in ${apiVersion}`);
}

/**
 * The remedy when the ambassador refuses discovery. The filter of the ambassador allows discovery
 * only for the groups that the controllers use.
 */
function closedPath(error: OperatorError, apiVersion: string): string | undefined {
  if (error.code !== 'AMBASSADOR_FORBIDDEN') return undefined;
  return `open ${apiVersion} in the filter of the ambassador, and add its rules to the role`;
}
