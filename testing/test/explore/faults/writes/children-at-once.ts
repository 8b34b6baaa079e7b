/**
 * A Deployment and the ConfigMap that it mounts are created at the same time, in whichever order they arrive. After
 * oracle/weblogic-kubernetes-operator, issue 13: a deployment failed when its ConfigMap came later.
 */
import { type Controller, controller, type ReconcileContext } from 'chancery';
import { configMaps, type Deployment, deployments } from 'chancery/kubernetes';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { deployment } from '../../../../src/objects/workloads.ts';
import { find, GROUP, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const domains = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Domain',
  spec: Type.Object({}),
});
type Context = ReconcileContext<ObjectOf<typeof domains>>;

function domain(apply: (name: string, context: Context) => Promise<unknown>): Controller {
  return controller({
    name: 'domain',
    for: domains,
    owns: [configMaps, deployments],
    async reconcile({ metadata }, context) {
      await apply(metadata.name, context);
    },
  });
}

function applySettings(name: string, { applyOwned }: Context): Promise<unknown> {
  return applyOwned(configMaps, { metadata: { name }, data: { mode: 'fast' } });
}

function applyServer(name: string, { applyOwned }: Context): Promise<unknown> {
  const { spec } = deployment(name) as Deployment;
  return applyOwned(deployments, { metadata: { name }, ...(spec && { spec }) });
}

export const childrenAtOnce: Fault = {
  name: 'order of two children',
  source: 'oracle/weblogic-kubernetes-operator#13',
  scenario: {
    objects: [domains.definition, objectOf(domains, { name: 'demo' }, { spec: {} })],
    atEachStep: [
      {
        name: 'a Deployment finds its ConfigMap',
        check: (cluster) =>
          find(cluster, deployments, 'demo') && !find(cluster, configMaps, 'demo')
            ? 'the Deployment is there, and its ConfigMap is not'
            : undefined,
      },
    ],
  },
  faulty: () => [
    domain((name, context) =>
      Promise.all([applySettings(name, context), applyServer(name, context)]),
    ),
  ],
  corrected: () => [
    domain(async (name, context) => {
      await applySettings(name, context);
      await applyServer(name, context);
    }),
  ],
  breaks: 'a Deployment finds its ConfigMap',
  deviations: 1,
};
