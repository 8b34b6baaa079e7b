import { configMap, MadeRecord, PATH } from './made-record.ts';

const CREATED = {
  ...{ method: 'POST', path: `${PATH}?fieldManager=copy` },
  body: {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    ...{ metadata: { name: 'web-copy', namespace: 'demo' }, data: { a: '2' } },
  },
  answer: configMap('web-copy', '12', { a: '2' }),
};

const PATCHED = {
  ...{ method: 'PATCH', path: `${PATH}/web-copy?fieldManager=copy`, status: 200 },
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
