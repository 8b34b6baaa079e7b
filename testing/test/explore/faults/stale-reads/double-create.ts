/**
 * A child with a generated name is created when the cache shows none. After cryostatio/cryostat-operator, issue 163:
 * two ConsoleLinks, one created at once after the other, because the cache did not show the first.
 */
import {
  type Controller,
  controller,
  isAlreadyExists,
  type ReconcileContext,
  source,
} from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { all, controlledBy, GROUP, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const recorders = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Recorder',
  spec: Type.Object({ url: Type.String() }),
  status: Type.Object({ link: Type.Optional(Type.String()) }),
});
type Recorder = ObjectOf<typeof recorders>;

/** A ConfigMap stands for the link in the console. */
const links = source(configMaps, { labelSelector: 'app=recorder' });

type Create = (link: ConfigMap, context: ReconcileContext<Recorder>) => Promise<ConfigMap>;

function recorder(name: (recorder: Recorder) => object, create: Create): Controller {
  return controller({
    name: 'recorder',
    for: recorders,
    owns: [links],
    permissions: [{ resource: configMaps, verbs: ['get', 'create'] }],
    consistency: 'none',
    async reconcile(recorder, context) {
      const labels = { app: 'recorder', recorder: recorder.metadata.name };
      const [known] = context.store(links).list({ selector: `recorder=${recorder.metadata.name}` });
      const metadata = { ...name(recorder), labels, ...controlledBy(recorder) };
      const data = { url: recorder.spec.url };
      const link = known ?? (await create(objectOf(configMaps, metadata, { data }), context));
      await context.setStatus({ link: link.metadata.name });
    },
  });
}

const createNew: Create = (link, { client }) => client.create(configMaps, link);

const createOnce: Create = async (link, { client }) => {
  try {
    return await client.create(configMaps, link);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return client.get(configMaps, link.metadata);
  }
};

export const doubleCreate: Fault = {
  name: 'double create under a stale read',
  source: 'cryostatio/cryostat-operator#163',
  scenario: {
    objects: [
      recorders.definition,
      objectOf(recorders, { name: 'demo' }, { spec: { url: 'https://demo.example' } }),
    ],
    atRest: [
      {
        name: 'a Recorder has one link',
        check: (cluster) => {
          const { length } = all(cluster, configMaps).filter(isLink);
          return length === 1 ? undefined : `there are ${length} links`;
        },
      },
    ],
  },
  faulty: () => [recorder(({ metadata }) => ({ generateName: `${metadata.name}-` }), createNew)],
  corrected: () => [recorder(({ metadata }) => ({ name: `${metadata.name}-link` }), createOnce)],
  // Before this operator comes to rest, which would show it, too.
  breaks: 'nothing is created twice',
  deviations: 1,
};

function isLink({ metadata }: ConfigMap): boolean {
  return metadata.labels?.app === 'recorder';
}
