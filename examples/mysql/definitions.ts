import {
  AWAIT_CHANGE,
  type Controller,
  configMaps,
  controller,
  customResourceDefinitions,
  enqueueMapped,
  ensureCrd,
  generationChanged,
  type ObjectKey,
  objectKey,
  source,
  type Trigger,
} from 'chancery';
import type { CustomResource } from 'chancery/schema';

/**
 * Keeps a definition installed: it is made when it is absent, upgraded when it is an older one, and
 * never deleted. The rights are for the one definition, by its name.
 *
 * Without them this fails, again and again and ever more slowly, and says which right is missing; the
 * controllers of the resource wait until it is served, whoever has installed it, and `/readyz` with them.
 */
export function definition(resource: CustomResource): Controller {
  const { name } = resource.definition.metadata;
  const key = objectKey(undefined, name);
  const definitions = source(customResourceDefinitions, {
    fieldSelector: `metadata.name=${name}`,
    metadataOnly: true,
    optional: true, // it begins although it may not list
  });
  return controller({
    name: `definition-${resource.plural}`,
    // A key of its own, of which there is no object: what is reconciled must be listed, and without the
    // rights the definition cannot be.
    for: source(configMaps, { fieldSelector: `metadata.name=${name}`, metadataOnly: true }),
    watches: [enqueueMapped(definitions, () => [key], { predicate: generationChanged })],
    triggers: [once(key)],
    permissions: [
      {
        resource: customResourceDefinitions,
        resourceNames: [name],
        verbs: ['get', 'create', 'patch'],
      },
    ],
    async reconcile(_key, _object, { client, clock, log, signal }) {
      await ensureCrd(client, resource, { clock, log, signal });
      return AWAIT_CHANGE;
    },
  }) as Controller;
}

/** What is absent has no event that could begin it. */
function once(key: ObjectKey): Trigger {
  return {
    async run(enqueue) {
      enqueue([key]);
    },
  };
}
