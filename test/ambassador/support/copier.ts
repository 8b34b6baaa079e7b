import { type Controller, controller } from '../../../operator/controller/controller.ts';
import { source } from '../../../operator/controller/source.ts';
import { type ConfigMap, configMaps } from '../../../operator/model/builtin.ts';
import { objectKey } from '../../../operator/model/object.ts';
import type { Store } from '../../../operator/store/store.ts';

export const NAMESPACE = 'demo';

/** Copies each ConfigMap `source-X` to `copy-X`. @param seen - told of its cache. */
export function copier(seen: (cache: Store<ConfigMap>) => void): Controller {
  return controller({
    name: 'copier',
    for: source(configMaps),
    permissions: [{ resource: configMaps, verbs: ['create', 'update', 'patch', 'delete'] }],
    reconcile: async (object, { key, client, store, signal }) => {
      const cache = store(configMaps);
      seen(cache);
      const name = /^demo\/source-(.*)$/.exec(key)?.[1];
      const value = object.data?.value;
      if (name === undefined || value === undefined) return;
      const metadata = { namespace: NAMESPACE, name: `copy-${name}` };
      if (cache.get(objectKey(NAMESPACE, metadata.name))?.data?.value === value) return;
      const copy = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
      await client.apply(configMaps, copy, { signal });
    },
  }) as Controller;
}
