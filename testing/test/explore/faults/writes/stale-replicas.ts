/**
 * An operator writes the replicas back as it has read them, and undoes what the autoscaler has decided since. After
 * defilantech/LLMKube, pull request 485, where the operator fought the autoscaler.
 */
import { type Controller, controller } from 'chancery';
import { type Deployment, deployments } from 'chancery/kubernetes';
import { customResource, Type } from 'chancery/schema';
import { deployment } from '../../../../src/objects/workloads.ts';
import { find, GROUP, NAMESPACE, objectOf, patch } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const services = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'InferenceService',
  spec: Type.Object({ image: Type.String() }),
});

/** @param kept - fields of the spec that go into the patch beside the image. */
function inference(kept: (deployment: Deployment) => object): Controller {
  return controller({
    name: 'inference',
    for: services,
    owns: [deployments],
    permissions: [{ resource: deployments, verbs: ['get', 'patch'] }],
    async reconcile({ metadata, spec: { image } }, { client }) {
      const existing = await client.find(deployments, metadata);
      if (existing?.spec === undefined || imageOf(existing) === image) return;
      const template = { spec: { containers: [{ name: 'main', image }] } };
      const body = { spec: { ...kept(existing), template } };
      await client.patch(deployments, metadata, { type: 'merge', body });
    },
  });
}

function imageOf(deployment: Deployment | undefined): string | undefined {
  return deployment?.spec?.template.spec?.containers[0]?.image;
}

export const staleReplicas: Fault = {
  name: 'fight with an autoscaler',
  source: 'defilantech/LLMKube#485',
  scenario: {
    objects: [
      services.definition,
      objectOf(services, { name: 'demo' }, { spec: { image: 'demo:1' } }),
      deployment('demo', {
        ...{ namespace: NAMESPACE, replicas: 1 },
        podSpec: { containers: [{ name: 'main', image: 'demo:1' }] },
      }),
    ],
    changes: [
      {
        name: 'the image changes',
        apply: (cluster) => patch(cluster, services, 'demo', { spec: { image: 'demo:2' } }),
      },
      {
        name: 'the autoscaler sets 5 replicas',
        apply: (cluster) => {
          const annotations = { 'scaled-to': '5' };
          patch(cluster, deployments, 'demo', { metadata: { annotations }, spec: { replicas: 5 } });
        },
      },
    ],
    atRest: [
      {
        name: 'the replicas are those of the autoscaler',
        check: (cluster) => {
          const { metadata, spec } = find(cluster, deployments, 'demo') ?? {};
          if (metadata?.annotations?.['scaled-to'] === undefined) return undefined;
          return spec?.replicas === 5 ? undefined : `there are ${spec?.replicas}, and not 5`;
        },
      },
      {
        name: 'the image is the wanted one',
        check: (cluster) => {
          const wanted = find(cluster, services, 'demo')?.spec.image;
          const used = imageOf(find(cluster, deployments, 'demo'));
          return used === wanted ? undefined : `${used} is used, and ${wanted} is wanted`;
        },
      },
    ],
  },
  faulty: () => [inference(({ spec }) => ({ replicas: spec?.replicas }))],
  corrected: () => [inference(() => ({}))],
  breaks: 'the replicas are those of the autoscaler',
  deviations: 1,
};
