/** A plan → the patch of a Deployment, StatefulSet or DaemonSet. */
import { expect, test } from 'vitest';
import { restartPatch } from '../../workloads/rolling.ts';

const workload = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'demo', uid: 'u', resourceVersion: '7' },
};
const NONE = { changes: [], variables: [], templateAnnotations: {}, annotations: {} };
const HERE = { uid: 'u', resourceVersion: '7' };

test('the patch names this state of the workload, so that a late cache restarts nothing twice', () => {
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

test('[reloader R14] a variable is removed by its name, and not by its position', () => {
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

test('annotations of both places and the pause are in the same patch', () => {
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
