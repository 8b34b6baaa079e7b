/**
 * Defaults are written into the spec together with the rest of it, as it was read. After
 * FoundationDB/fdb-kubernetes-operator, issue 279, which ends updates of the spec by the operator.
 */
import { type Controller, controller } from 'chancery';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { find, GROUP, objectOf, patch } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const databases = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Database',
  spec: Type.Object({ image: Type.String(), storage: Type.Optional(Type.String()) }),
});
type Spec = ObjectOf<typeof databases>['spec'];

const DEFAULTS = { storage: '1Gi' };

function database(patched: (spec: Spec) => object): Controller {
  return controller({
    name: 'database',
    for: databases,
    permissions: [{ resource: databases, verbs: ['patch'] }],
    async reconcile({ metadata, spec }, { client }) {
      if (spec.storage !== undefined) return;
      await client.patch(databases, metadata, { type: 'merge', body: { spec: patched(spec) } });
    },
  });
}

export const persistedDefaults: Fault = {
  name: 'defaults that undo an edit',
  source: 'FoundationDB/fdb-kubernetes-operator#279',
  scenario: {
    objects: [
      databases.definition,
      objectOf(databases, { name: 'demo' }, { spec: { image: 'demo:1' } }),
    ],
    changes: [
      {
        name: 'a person changes the image',
        apply: (cluster) => patch(cluster, databases, 'demo', { spec: { image: 'demo:2' } }),
      },
    ],
    atRest: [
      {
        name: 'the image is the one of the person',
        check: (cluster) => {
          const image = find(cluster, databases, 'demo')?.spec.image;
          return image === 'demo:2' ? undefined : `it is ${image}`;
        },
      },
    ],
  },
  faulty: () => [database((spec) => ({ ...spec, ...DEFAULTS }))],
  corrected: () => [database(() => DEFAULTS)],
  breaks: 'the image is the one of the person',
  deviations: 1,
};
