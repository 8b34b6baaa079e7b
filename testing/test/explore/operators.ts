/** Small operators with one fault each, and their twins without it. ConfigMaps are what they reconcile, Secrets what they make. */

import type { Change, Scenario } from '@chancery/testing';
import { type Controller, type ControllerOptions, controller } from 'chancery';
import { type ConfigMap, configMaps, type Secret, secrets } from 'chancery/kubernetes';

export function settings(name: string, data: Readonly<Record<string, string>> = {}): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
}

/** A controller of ConfigMaps that may read and write Secrets. */
export function copier(
  reconcile: ControllerOptions<ConfigMap>['reconcile'],
  options: Partial<ControllerOptions<ConfigMap>> = {},
): Controller {
  return controller({
    name: 'copier',
    for: configMaps,
    owns: [secrets],
    consistency: 'none',
    permissions: [
      { resource: secrets, verbs: ['get', 'create', 'patch', 'update', 'delete'] },
      { resource: configMaps, verbs: ['get', 'patch', 'update'] },
    ],
    reconcile,
    ...options,
  }) as Controller;
}

/** A Secret that an object owns, under a name that the API server makes up. */
export function ownedSecret(owner: ConfigMap): Secret {
  const { name, namespace = 'default', uid = '' } = owner.metadata;
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { generateName: `${name}-`, namespace, ownerReferences: [reference] },
  } as unknown as Secret;
}

/** Somebody labels the ConfigMap. */
export function labelled(name: string): Change {
  return {
    name: `a person labels ConfigMap ${name}`,
    apply: (cluster) =>
      void cluster.patch('v1', 'ConfigMap', 'default', name, {
        metadata: { labels: { seen: 'yes' } },
      }),
  };
}

/** A scenario with one ConfigMap `a`, which a person labels. */
export function scenarioOf(
  name: string,
  controllers: () => readonly Controller[],
  more: Partial<Scenario> = {},
): Scenario {
  return {
    name,
    objects: [settings('a', { key: 'value' })],
    controllers,
    changes: [labelled('a')],
    ...more,
  };
}

/** Creates a Secret when its cache shows none: a stale cache makes it create a second one. */
export const createsTwice: Scenario = scenarioOf('creates that are based on a stale read', () => [
  copier(async (object, context) => {
    const uid = object.metadata.uid;
    const mine = context
      .store(secrets)
      .list()
      .some(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
    if (!mine) await context.client.create(secrets, ownedSecret(object));
  }),
]);

/** The same with one name for each ConfigMap: a second create is refused. */
export const createsOnce: Scenario = scenarioOf('creates by name', () => [
  copier(async (object, context) => {
    await context.applyOwned(secrets, {
      metadata: { name: object.metadata.name },
      stringData: { ...object.data },
    });
  }),
]);
