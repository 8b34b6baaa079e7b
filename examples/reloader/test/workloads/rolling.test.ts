/** A plan → the patch of a Deployment, StatefulSet or DaemonSet. */
import { expect, test } from 'vitest';
import { restartPatch } from '../../workloads/rolling.ts';

const workload = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'demo', uid: 'u', resourceVersion: '7' },
  spec: {
    template: {
      spec: {
        containers: [{ name: 'app' }, { name: 'log' }, { name: 'side' }].map(withEnvironment),
      },
    },
  },
};

function withEnvironment(container: { readonly name: string }) {
  return {
    ...container,
    env: [
      { name: 'OLD_B', value: '1' },
      { name: 'OLD_A', value: '1' },
    ],
  };
}

const NONE = { changes: [], variables: [], templateAnnotations: {}, annotations: {} };
const HERE = { uid: 'u', resourceVersion: '7' };

test('the patch contains uid and resourceVersion of the workload, so that a stale cache causes no second restart', () => {
  const variables = [{ container: 'app', name: 'STAKATER_A_CONFIGMAP', value: 'h' }];
  expect(restartPatch(workload, { ...NONE, variables })).toEqual({
    type: 'strategic',
    body: {
      metadata: HERE,
      spec: {
        template: {
          spec: {
            containers: [{ name: 'app', env: [{ name: 'STAKATER_A_CONFIGMAP', value: 'h' }] }],
          },
        },
      },
    },
  });
});

test('[reloader R14] a variable is removed by its name, not by its position', () => {
  const variables = [
    { container: 'app', name: 'GONE', value: undefined },
    { container: 'side', name: 'SET', value: 'h' },
    { container: 'app', name: 'SET', value: 'h' },
  ];
  expect(restartPatch(workload, { ...NONE, variables }).body).toMatchObject({
    spec: {
      template: {
        spec: {
          containers: [
            {
              name: 'app',
              env: [
                { name: 'GONE', $patch: 'delete' },
                { name: 'SET', value: 'h' },
              ],
            },
            { name: 'side', env: [{ name: 'SET', value: 'h' }] },
          ],
        },
      },
    },
  });
});

test('the patch contains the annotations of the workload, the annotations of the Pod template and the pause', () => {
  const plan = {
    ...NONE,
    templateAnnotations: { last: '{}' },
    annotations: { baseline: '{}', pending: null },
  };
  const pause = { spec: { paused: true }, annotations: { 'paused-at': 'now' } };
  expect(restartPatch(workload, plan, pause).body).toEqual({
    metadata: { ...HERE, annotations: { baseline: '{}', pending: null, 'paused-at': 'now' } },
    spec: { paused: true, template: { metadata: { annotations: { last: '{}' } } } },
  });
});

test('the patch lists containers and variables in the order of the template, because the API server stores them in the order of the patch', () => {
  const set = (container: string, name: string) => ({ container, name, value: 'h' });
  const variables = [
    set('side', 'OLD_A'),
    set('side', 'NEW_2'),
    set('side', 'OLD_B'),
    set('app', 'OLD_A'),
    set('side', 'NEW_1'),
  ];
  const { body } = restartPatch(workload, { ...NONE, variables });

  const { containers } = (body as unknown as typeof workload).spec.template.spec;
  expect(containers.map(({ name, env }) => [name, env.map((each) => each.name)])).toEqual([
    ['app', ['OLD_A']],
    ['side', ['NEW_2', 'NEW_1', 'OLD_B', 'OLD_A']],
  ]);
});
