/** Reads each ConfigMap and its Secret, and writes nothing: what it costs is what the caches and the watches cost. */
import { controller } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';

export default controller({
  name: 'reader',
  for: { resource: configMaps, namespace: 'configured', optional: false },
  owns: [secrets],
  async reconcile({ metadata: { name = '', namespace = '' }, data }, { key, store }) {
    const child = store(secrets).get({ namespace, name });
    if (data?.text === undefined || child === undefined) throw new Error(`${key} is not complete`);
  },
});
