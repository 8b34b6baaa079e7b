/**
 * Pods are counted by their label, whoever made them. After kubernetes/kubernetes, issue 88550, and
 * FoundationDB/fdb-kubernetes-operator, issue 290: a plain Pod with the label was taken for one of the controller.
 */
import { type Controller, controller, isAlreadyExists, isControlledBy } from 'chancery';
import { type Pod, pods } from 'chancery/kubernetes';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { pod } from '../../../../src/objects/workloads.ts';
import { all, controlledBy, find, GROUP, NAMESPACE, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const runners = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Runner',
  spec: Type.Object({}),
});
type Runner = ObjectOf<typeof runners>;

const LABELS = { runner: 'demo' };

function runner(isCounted: (pod: Pod, runner: Runner) => boolean): Controller {
  return controller({
    name: 'runner',
    for: runners,
    owns: [pods],
    permissions: [{ resource: pods, verbs: ['list', 'create'] }],
    async reconcile(runner, { client }) {
      const { name, namespace } = runner.metadata;
      const listed = await client.list(pods, { namespace, labelSelector: `runner=${name}` });
      if (listed.some((each) => isCounted(each, runner))) return;
      const metadata = { namespace: NAMESPACE, labels: LABELS, ...controlledBy(runner) };
      await client.create(pods, pod(`${name}-0`, metadata) as Pod).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    },
  });
}

export const countedByLabel: Fault = {
  name: 'adoption by label alone',
  source: 'kubernetes/kubernetes#88550',
  scenario: {
    objects: [runners.definition, objectOf(runners, { name: 'demo' }, { spec: {} })],
    changes: [
      {
        name: 'a person creates a Pod with the label of the Runner',
        apply: (cluster) =>
          void cluster.create(pod('debug', { namespace: NAMESPACE, labels: LABELS })),
      },
    ],
    atRest: [
      {
        name: 'a Runner has a Pod of its own',
        check: (cluster) => {
          const owner = find(cluster, runners, 'demo');
          return owner && all(cluster, pods).some((each) => isControlledBy(each, owner))
            ? undefined
            : 'only the Pod of a person is there';
        },
      },
    ],
  },
  faulty: () => [runner(() => true)],
  corrected: () => [runner(isControlledBy)],
  breaks: 'a Runner has a Pod of its own',
  deviations: 1,
};
