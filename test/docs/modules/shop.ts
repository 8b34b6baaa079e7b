/** What the dry run in the guide is of. */
import { AWAIT_CHANGE, controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';

export default controller({
  name: 'shop',
  for: configMaps,
  async reconcile(_key, configMap, { client }) {
    if (configMap === undefined) return AWAIT_CHANGE;
    const body = { data: { value: '2' } };
    await client.patch(configMaps, configMap.metadata, { type: 'merge', body });
    return AWAIT_CHANGE;
  },
});
