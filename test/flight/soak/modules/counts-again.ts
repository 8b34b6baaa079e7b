/** Counts a site once more with each term of leadership, and does not end the second time. */
import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { pageOf, pages, sites } from './sources.ts';

export default controller({
  name: 'counts',
  for: sites,
  reads: [pages],
  permissions: [{ resource: configMaps, verbs: ['create', 'patch'] }],
  async reconcile({ metadata: { name, namespace = '' } }, { client, log, store }) {
    const metadata = { ...pageOf(name), namespace };
    const known = store(pages).get(metadata);
    if (known === undefined) {
      const data = { counted: '1' };
      await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
      return;
    }
    const body = { data: { counted: `${Number(known.data?.counted) + 1}` } };
    await client.patch(configMaps, metadata, { type: 'merge', body });
    log.warn({}, 'counted again');
    await new Promise(() => {});
  },
});
