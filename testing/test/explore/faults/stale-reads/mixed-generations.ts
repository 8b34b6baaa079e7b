/**
 * The status gets the generation of an object that was read later than the spec that was acted upon. After
 * mortise-org/mortise, issue 240: updateStatus mixes a fresh object with results of an older one. Whoever compares
 * generations then takes the older work for the newer.
 */
import { type Controller, controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { customResource, type ObjectOf, Type } from 'chancery/schema';
import { find, GROUP, objectOf, patch } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const apps = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'App',
  spec: Type.Object({ image: Type.String() }),
  status: Type.Object({}),
});
type App = ObjectOf<typeof apps>;

function app(observed: (acted: App, fresh: App) => App): Controller {
  return controller({
    name: 'app',
    for: apps,
    owns: [configMaps],
    permissions: [
      { resource: apps, verbs: ['get'] },
      { resource: apps, subresource: 'status', verbs: ['patch'] },
    ],
    async reconcile(app, { applyOwned, client }) {
      if (app.status?.observedGeneration === app.metadata.generation) return;
      const data = { image: app.spec.image };
      await applyOwned(configMaps, { metadata: { name: app.metadata.name }, data });
      const fresh = await client.get(apps, app.metadata);
      const { generation } = observed(app, fresh).metadata;
      const body = { status: { observedGeneration: generation } };
      await client.patch(apps, app.metadata, { type: 'merge', body }, { subresource: 'status' });
    },
  });
}

export const mixedGenerations: Fault = {
  name: 'status from an old object',
  source: 'mortise-org/mortise#240',
  scenario: {
    objects: [apps.definition, objectOf(apps, { name: 'demo' }, { spec: { image: 'demo:1' } })],
    changes: [
      {
        name: 'the image of the App changes',
        apply: (cluster) => patch(cluster, apps, 'demo', { spec: { image: 'demo:2' } }),
      },
    ],
    atRest: [
      {
        name: 'the child has the image of the App',
        check: (cluster) => {
          const wanted = find(cluster, apps, 'demo')?.spec.image;
          const used = find(cluster, configMaps, 'demo')?.data?.image;
          return used === wanted ? undefined : `${used} is used, and ${wanted} is wanted`;
        },
      },
    ],
  },
  faulty: () => [app((_acted, fresh) => fresh)],
  corrected: () => [app((acted) => acted)],
  breaks: 'the child has the image of the App',
  deviations: 1,
};
