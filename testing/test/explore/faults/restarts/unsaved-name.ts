/**
 * Something with a generated name is created, and the process ends before the name is saved. After
 * crossplane/crossplane-runtime, issue 277, mended by pull request 283 with a mark that is stored before.
 */
import { type Controller, controller, type ReconcileContext } from 'chancery';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { all, GROUP, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const vpcs = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Vpc',
  spec: Type.Object({}),
});
type Vpc = ObjectOf<typeof vpcs>;
/** Objects of this kind stand for networks of a cloud, which chooses their names. */
const networks = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'CloudNetwork',
  spec: Type.Object({}),
});
type Network = ObjectOf<typeof networks>;

const EXTERNAL_NAME = `${GROUP}/external-name`;

type FindNetwork = (vpc: Vpc, context: ReconcileContext<Vpc>) => Promise<Network | undefined>;

function vpc(findNetwork: FindNetwork): Controller {
  return controller({
    name: 'vpc',
    for: vpcs,
    permissions: [
      { resource: networks, verbs: ['list', 'create'] },
      { resource: vpcs, verbs: ['patch'] },
    ],
    async reconcile(vpc, context) {
      const { metadata } = vpc;
      if (metadata.annotations?.[EXTERNAL_NAME] !== undefined) return;
      const { client } = context;
      const tags = { generateName: 'net-', labels: { vpc: metadata.name } };
      const network =
        (await findNetwork(vpc, context)) ??
        (await client.create(networks, objectOf(networks, tags, { spec: {} })));
      const annotations = { [EXTERNAL_NAME]: network.metadata.name };
      await client.patch(vpcs, metadata, { type: 'merge', body: { metadata: { annotations } } });
    },
  });
}

const byTag: FindNetwork = async ({ metadata: { name, namespace } }, { client }) => {
  const [network] = await client.list(networks, { namespace, labelSelector: `vpc=${name}` });
  return network;
};

export const unsavedName: Fault = {
  name: 'effect whose name is not saved',
  source: 'crossplane/crossplane-runtime#277',
  scenario: {
    objects: [vpcs.definition, networks.definition, objectOf(vpcs, { name: 'demo' }, { spec: {} })],
    atRest: [
      {
        name: 'a Vpc has one network',
        check: (cluster) => {
          const { length } = all(cluster, networks);
          return length === 1 ? undefined : `it has ${length}`;
        },
      },
    ],
  },
  faulty: () => [vpc(async () => undefined)],
  corrected: () => [vpc(byTag)],
  // Before this operator comes to rest, which would show it, too.
  breaks: 'nothing is created twice',
  deviations: 1,
};
