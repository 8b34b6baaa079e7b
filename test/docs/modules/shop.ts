/** What the dry run in the guide is of. */
import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';

export default controller({
  name: 'shop',
  for: configMaps,
  async reconcile(configMap, { client }) {
    const body = { data: { value: '2' } };
    await client.patch(configMaps, configMap.metadata, { type: 'merge', body });
  },
});
