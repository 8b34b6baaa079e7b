/** Informers as the sources of controllers are: what the subjects of the scale runs are made of. */
import type { KubernetesObject } from '../../operator/index.ts';
import type { Informer } from '../../operator/low-level.ts';
import type { ObjectState } from '../../test/support/load/state.ts';
import type { ListLimiter } from '../internals.ts';
import { chancery, internals, lowLevel } from './chancery.ts';
import { configuration } from './child.ts';

const { profileNamed } = await import('../../test/support/load/profiles.ts');
const { defineResource, dropManagedFields } = chancery;
const { listWatch, systemClock, undiciTransport } = lowLevel;
const { transformed } = internals;

const { group, version, plural, kind } = profileNamed(configuration.profile);
export const resource = defineResource({ group, version, plural, kind, namespaced: true });
const transport = undiciTransport(configuration.url);

/** One over a namespace, with the transport that all of them share. */
export function informerOf(namespace: string, limiter: ListLimiter): Informer<KubernetesObject> {
  const source = listWatch(transport, resource, { namespace });
  const observer = {
    statusChanged() {},
    drifted() {},
    handlerFailed(error: unknown) {
      throw error;
    },
  };
  const options = { clock: systemClock, limiter, relistIntervalMs: 0 };
  return new lowLevel.Informer(transformed(source, dropManagedFields), observer, options);
}

export function stateOf({ metadata }: KubernetesObject): ObjectState {
  const { name, uid = '', resourceVersion = '' } = metadata;
  return { name, uid, resourceVersion };
}
