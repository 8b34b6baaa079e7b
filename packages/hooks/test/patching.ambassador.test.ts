/** Patches and metrics of real hooks, under the roles and the filter that are generated from their rights files. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { LANGUAGES, startHooks } from './support/place.ts';

const RIGHTS = `
rules:
- apiGroups: ['']
  resources: [configmaps]
  verbs: [create, delete, get, patch, update]
- apiGroups: ['']
  resources: [services/status]
  verbs: [patch]
`;

/** A Service whose status a hook writes. */
const GATE =
  '{apiVersion: v1, kind: Service, metadata: {name: gate}, spec: {type: LoadBalancer, ports: [{port: 80}]}}';

const STATUS = { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } };

const OLD = ['merged', 'patched', 'added', 'kept', 'replaced', 'gone', 'left'].map(
  (name) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {trees: "1"}}`,
);

test.each(
  LANGUAGES,
)('[hooks 9] [hooks 20] the patches and metrics of a %s hook are applied and measured, with only the permissions that it declares', async (language) => {
  const place = await startHooks({
    language,
    recorders: { 'rows.sh': 'configVersion: v1\nonStartup: 1' },
    files: { 'rows.sh.rights.yaml': RIGHTS },
    stopped: true,
  });
  const { namespace } = place;
  await place.apply([...OLD, GATE].join('\n---\n'));
  const target = (name: string) => ({ kind: 'configmap', namespace, name });
  const object = (name: string) => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { trees: '2' } },
  });
  const jsonPatch = [{ op: 'remove', path: '/data/trees' }];
  await place.hook('rows.sh').answer({
    patches: [
      { operation: 'Create', object: object('created') },
      { operation: 'CreateIfNotExists', object: object('kept') },
      { operation: 'CreateOrUpdate', object: object('replaced') },
      { operation: 'MergePatch', ...target('merged'), mergePatch: { data: { pears: '3' } } },
      { operation: 'JSONPatch', ...target('patched'), jsonPatch },
      {
        operation: 'JQPatch',
        ...target('added'),
        jqFilter: '.data.trees |= (tonumber + 1 | tostring)',
      },
      { operation: 'Apply', object: object('applied') },
      { operation: 'DeleteInBackground', ...target('gone') },
      { operation: 'MergePatch', ...target('none'), mergePatch: {}, ignoreMissingObject: true },
      { operation: 'Status', ...target('gate'), kind: 'svc', status: STATUS },
    ],
    metrics: '{"name": "rows", "set": 9, "group": "rows"}\n{"name": "seen_total", "add": 2}\n',
  });

  place.startOperator();
  const metrics = await eventually(async () => {
    const text = await place.program.metrics.text();
    return text.includes('seen_total{') && text;
  });

  const maps = await place.env.list('v1', 'ConfigMap', namespace);
  const data = Object.fromEntries(
    maps
      .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
      .map((map) => [map.metadata.name, (map as { readonly data?: object }).data]),
  );
  expect(data).toMatchObject({
    added: { trees: '2' },
    applied: { trees: '2' },
    created: { trees: '2' },
    kept: { trees: '1' },
    left: { trees: '1' },
    merged: { pears: '3', trees: '1' },
    replaced: { trees: '2' },
  });
  expect(data.patched ?? {}).toEqual({});
  expect(data).not.toHaveProperty('gone');
  expect(await place.env.get('v1', 'Service', namespace, 'gate')).toMatchObject({ status: STATUS });
  expect(metrics).toContain('rows{hook="rows.sh"} 9\n');
  expect(metrics).toContain('seen_total{hook="rows.sh"} 2\n');
  expect(await place.hook('rows.sh').runs()).toHaveLength(1);
  expect(place.refusals()).toEqual([]);
});
