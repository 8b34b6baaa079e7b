import { type Controller, controller, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { configMap, MadeRecord, PATH } from './made-record.ts';

/** Copies each ConfigMap without a suffix to one with it, and reads the copy from its cache. */
export function copying(suffix = '-copy', requeueAfterMs?: number): Controller {
  return controller({
    name: 'copy',
    for: source(configMaps),
    permissions: [{ resource: configMaps, verbs: ['create', 'patch'] }],
    predicate: ({ metadata }) => !metadata.name.endsWith('copy'),
    async reconcile({ metadata: { name, namespace }, data = {} }, { client, store }) {
      const copy = `${name}${suffix}`;
      const known = store(configMaps).get({ namespace, name: copy });
      if (known === undefined) {
        await client.create(configMaps, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: copy, namespace: 'demo' },
          data,
        });
      } else {
        await client.patch(
          configMaps,
          { name: copy, namespace },
          { type: 'merge', body: { data } },
        );
      }
      return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
    },
  });
}

const CREATED = {
  ...{ method: 'POST', path: `${PATH}?fieldManager=copy&fieldValidation=Warn` },
  body: {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    ...{ metadata: { name: 'web-copy', namespace: 'demo' }, data: { a: '2' } },
  },
  answer: configMap('web-copy', '12', { a: '2' }),
};

const PATCHED = {
  ...{
    method: 'PATCH',
    path: `${PATH}/web-copy?fieldManager=copy&fieldValidation=Warn`,
    status: 200,
  },
  body: { data: { a: '3' } },
  answer: configMap('web-copy', '14', { a: '3' }),
};

/** Two changes of `web`: the first makes its copy, the second changes it. */
export function copyIncident(): MadeRecord {
  return new MadeRecord({ objects: [configMap('web', '9', { a: '1' })] })
    .event(2_000, 'MODIFIED', configMap('web', '11', { a: '2' }))
    .attempt(2_001, 'demo/web', [CREATED])
    .event(2_010, 'ADDED', configMap('web-copy', '12', { a: '2' }))
    .event(300_000, 'MODIFIED', configMap('web', '13', { a: '3' }))
    .attempt(300_001, 'demo/web', [PATCHED])
    .event(300_010, 'MODIFIED', configMap('web-copy', '14', { a: '3' }));
}
