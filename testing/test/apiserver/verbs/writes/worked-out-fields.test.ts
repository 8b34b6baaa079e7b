/** Fields that the server works out, when a client that replaces the object leaves them out. */
import { expect, test } from 'vitest';
import { startCluster } from '../../support/cluster.ts';

const PODS = '/api/v1/namespaces/default/pods';
const DAEMON_SETS = '/apis/apps/v1/namespaces/default/daemonsets';
const COUNT = 'deprecated.daemonset.template.generation';

const DAEMON_SET = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { of: 'mill' } },
    template: {
      metadata: { labels: { of: 'mill' } },
      spec: { containers: [{ name: 'c', image: 'stone:1' }] },
    },
  },
};

function ownersOfCount(daemonSet: {
  metadata: { managedFields: { manager: string; fieldsV1: object }[] };
}): readonly string[] {
  return daemonSet.metadata.managedFields
    .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes(`"f:${COUNT}"`))
    .map(({ manager }) => manager);
}

test('a PUT that omits the templateGeneration of a DaemonSet takes over the ownership of that field', async () => {
  const { send } = await startCluster();
  const one = await send('POST', `${DAEMON_SETS}?fieldManager=one`, DAEMON_SET);
  const patched = await send('PATCH', `${DAEMON_SETS}/d?fieldManager=two`, {
    spec: { minReadySeconds: 4 },
  });
  const replaced = await send('PUT', `${DAEMON_SETS}/d?fieldManager=three`, DAEMON_SET);

  expect([one, patched, replaced].map(({ body }) => ownersOfCount(body))).toEqual([
    ['one'],
    ['one'],
    ['three'],
  ]);
  expect(replaced.body.metadata.annotations).toEqual({ [COUNT]: '1' });
});

test('metadata-only lists of DaemonSets omit the annotation with the template generation', async () => {
  const { send } = await startCluster();
  const annotated = { ...DAEMON_SET, metadata: { name: 'e', annotations: { a: 'b' } } };
  await send('POST', DAEMON_SETS, DAEMON_SET);
  await send('POST', DAEMON_SETS, annotated);

  const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
  const { body } = await send('GET', DAEMON_SETS, undefined, { accept });

  const annotations = body.items.map(
    (item: { metadata: { annotations?: object } }) => item.metadata.annotations,
  );
  expect(annotations).toEqual([undefined, { a: 'b' }]);
});

test('a Pod keeps the tolerations that the server added if a PUT omits them', async () => {
  const { send } = await startCluster();
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: {
      containers: [{ name: 'c', image: 'stone:1' }],
      automountServiceAccountToken: false,
      serviceAccountName: 'default',
    },
  };
  const { body: before } = await send('POST', PODS, pod);

  const next = structuredClone(pod);
  next.spec.containers[0] = { name: 'c', image: 'stone:2' };
  const { status, body } = await send('PUT', `${PODS}/p`, next);

  expect(status).toBe(200);
  expect(body.spec.containers[0].image).toBe('stone:2');
  expect(body.spec.tolerations).toEqual(before.spec.tolerations);
  expect(before.spec.tolerations).toHaveLength(2);
});

test('a control plane has the two system PriorityClasses', async () => {
  const { send } = await startCluster({ workloads: {} });

  const { body } = await send('GET', '/apis/scheduling.k8s.io/v1/priorityclasses');

  const classes = body.items.map((item: { metadata: { name: string }; value: number }) => [
    item.metadata.name,
    item.value,
  ]);
  expect(classes).toEqual([
    ['system-cluster-critical', 2_000_000_000],
    ['system-node-critical', 2_000_001_000],
  ]);
});
