import type { Clock } from '../core/clock.ts';
import { isBuiltInGroup } from '../model/built-in-group.ts';
import { customResourceDefinitions } from '../model/builtin.ts';
import { apiVersionOf, objectPath, type Resource, resourceName } from '../model/resource.ts';
import { ApiError, isNotFound } from '../model/status.ts';
import type { Transport } from '../transport/transport.ts';
import type { Discovery } from '../watch/discovery.ts';
import { readAnswer } from './answer.ts';
import { fetchResources } from './discovery-documents.ts';
import { isUnserved } from './response-failure.ts';

/** Whether a resource is served, and whether its definition is there, asked through `transport`. */
export function resourceDiscovery(
  transport: Transport,
  resource: Resource,
  clock: Clock,
): Discovery {
  return {
    client: transport,
    groupVersion: apiVersionOf(resource),
    plural: resource.plural,

    async served(signal: AbortSignal): Promise<readonly string[]> {
      try {
        const resources = await fetchResources({ transport, clock, signal }, resource);
        return resources.map(({ plural }) => plural);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return [];
        throw error;
      }
    },

    async isDefinitionGone(signal: AbortSignal): Promise<boolean> {
      if (isBuiltInGroup(resource)) return false;
      const name = resourceName(resource);
      try {
        const asked = {
          method: 'GET',
          path: objectPath(customResourceDefinitions, { name }),
        } as const;
        const response = await transport.send({
          ...asked,
          headers: { accept: 'application/json' },
          purpose: 'call',
          signal,
        });
        await readAnswer(response, clock, { asked });
        return false;
      } catch (error) {
        signal.throwIfAborted();
        return isAbsenceOf(name, error);
      }
    },
  };
}

/** Only a Status that names the definition: a 404 of any other kind says nothing about it. */
function isAbsenceOf(name: string, error: unknown): boolean {
  if (!(error instanceof ApiError) || !isNotFound(error) || isUnserved(error)) return false;
  return error.details.name === name;
}
