/** Creates a page for each change, and waits for no answer: of a refusal nobody hears. */
import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { pageOf, sites } from './sources.ts';

export default controller({
  name: 'creation',
  for: sites,
  permissions: [{ resource: configMaps, verbs: ['create'] }],
  async reconcile({ metadata: { name, namespace = '' }, data = {} }, { client }) {
    const metadata = { ...pageOf(name), namespace };
    void client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  },
});
