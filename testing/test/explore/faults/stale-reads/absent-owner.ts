/**
 * A child is deleted when the cache does not show its owner. After kubernetes/kubernetes, issue 88097: a collector deleted
 * children whose owners lived, because it saw the children first.
 */
import {
  type Controller,
  controller,
  enqueueMapped,
  keyOf,
  type ReconcileContext,
  source,
} from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';
import { customResource, Type } from 'chancery/schema';
import { find, GROUP, objectOf } from '../cluster.ts';
import type { Fault } from '../fault.ts';

const sites = customResource({
  group: GROUP,
  version: 'v1',
  kind: 'Site',
  spec: Type.Object({}),
});

const pages = source(configMaps, {
  labelSelector: 'site',
  indexes: { site: ({ metadata }) => [metadata.labels?.site ?? ''] },
});

type HasSite = (
  site: { readonly namespace: string | undefined; readonly name: string },
  context: ReconcileContext<ConfigMap>,
) => boolean | Promise<boolean>;

function sweeper(hasSite: HasSite): Controller {
  return controller({
    name: 'sweeper',
    for: pages,
    watches: [
      enqueueMapped(sites, ({ metadata }, { store }) =>
        store(pages).byIndex('site', metadata.name).map(keyOf),
      ),
    ],
    permissions: [
      { resource: sites, verbs: ['get'] },
      { resource: configMaps, verbs: ['delete'] },
    ],
    async reconcile({ metadata }, context) {
      const { namespace, uid = '', labels } = metadata;
      if (await hasSite({ namespace, name: labels?.site ?? '' }, context)) return;
      await context.client.delete(configMaps, metadata, { preconditions: { uid } });
    },
  });
}

export const absentOwner: Fault = {
  name: 'child deleted because its owner is not seen',
  source: 'kubernetes/kubernetes#88097',
  scenario: {
    objects: [sites.definition],
    changes: [
      {
        name: 'a Site and its page are applied',
        apply: (cluster) => {
          cluster.create(objectOf(sites, { name: 'demo' }, { spec: {} }));
          cluster.create(objectOf(configMaps, { name: 'page', labels: { site: 'demo' } }, {}));
        },
      },
    ],
    atRest: [
      {
        name: 'the page of a living Site stays',
        check: (cluster) => {
          if (find(cluster, sites, 'demo') === undefined) return undefined;
          return find(cluster, configMaps, 'page') ? undefined : 'the page was deleted';
        },
      },
    ],
  },
  faulty: () => [sweeper((site, { store }) => store(sites).get(site) !== undefined)],
  corrected: () => [
    sweeper(async (site, { client }) => (await client.find(sites, site)) !== undefined),
  ],
  breaks: 'the page of a living Site stays',
  deviations: 1,
};
