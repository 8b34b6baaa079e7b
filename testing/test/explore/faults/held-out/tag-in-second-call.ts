/**
 * An instance is created, and gets the tag by which it is found in a second call. After crossplane-contrib/provider-aws, pull
 * request 2169: when the second call did not happen, the instance was created again and again.
 */
import { type Controller, controller, type ReconcileContext } from 'chancery';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { all, find, GROUP, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const servers = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Server',
  spec: Type.Object({}),
  status: Type.Object({ instance: Type.Optional(Type.String()) }),
});
type Context = ReconcileContext<ObjectOf<typeof servers>>;
/** Objects of this kind stand for instances of a cloud, which chooses their names. */
const instances = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'CloudInstance',
  spec: Type.Object({}),
});
type Instance = ObjectOf<typeof instances>;

type Create = (tags: Readonly<Record<string, string>>, context: Context) => Promise<Instance>;

function server(create: Create): Controller {
  return controller({
    name: 'server',
    for: servers,
    permissions: [{ resource: instances, verbs: ['list', 'create', 'patch'] }],
    async reconcile({ metadata: { name, namespace }, status }, context) {
      if (status?.instance !== undefined) return;
      const labelSelector = `server=${name}`;
      const [known] = await context.client.list(instances, { namespace, labelSelector });
      const instance = known ?? (await create({ server: name }, context));
      await context.setStatus({ instance: instance.metadata.name });
    },
  });
}

const createAndTag: Create = async (labels, { client }) => {
  const named = objectOf(instances, { generateName: 'i-' }, { spec: {} });
  const { metadata } = await client.create(instances, named);
  return client.patch(instances, metadata, { type: 'merge', body: { metadata: { labels } } });
};

const createTagged: Create = (labels, { client }) =>
  client.create(instances, objectOf(instances, { generateName: 'i-', labels }, { spec: {} }));

export const tagInSecondCall: Fault = {
  name: 'tag that is set in a second call',
  source: 'crossplane-contrib/provider-aws#2169',
  scenario: {
    objects: [
      servers.definition,
      instances.definition,
      objectOf(servers, { name: 'demo' }, { spec: {} }),
    ],
    atRest: [
      {
        name: 'a Server has one instance',
        check: (cluster) => {
          const { length } = all(cluster, instances);
          return length === 1 ? undefined : `it has ${length}`;
        },
      },
      {
        name: 'the status names the instance',
        check: (cluster) => {
          const named = find(cluster, servers, 'demo')?.status?.instance ?? '';
          return find(cluster, instances, named) ? undefined : `it names ${named}`;
        },
      },
    ],
  },
  faulty: () => [server(createAndTag)],
  corrected: () => [server(createTagged)],
  breaks: 'a Server has one instance',
  deviations: 1,
};
