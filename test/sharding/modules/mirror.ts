/**
 * Writes for each ConfigMap with the label a Secret with the same text, and the name of the replica that wrote this text
 * first. `MIRROR_CPU_MS` is the work of each key.
 */
import process from 'node:process';
import { controller, objectKey } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';

const CPU_MS = Number(process.env.MIRROR_CPU_MS ?? 0);

export default controller({
  name: 'mirror',
  for: {
    resource: configMaps,
    namespace: 'configured',
    optional: false,
    labelSelector: 'app=mirrored',
  },
  owns: [secrets],
  async reconcile({ metadata: { name = '', namespace = '' }, data }, { applyOwned, self, store }) {
    const endsAt = performance.now() + CPU_MS;
    while (performance.now() < endsAt) {} // work that only another core can take over
    const of = data?.text ?? '';
    const known = store(secrets).get(objectKey(namespace, name))?.data;
    const isShown = known?.of === Buffer.from(of).toString('base64');
    const by = isShown ? Buffer.from(known?.by ?? '', 'base64').toString() : (self.podName ?? '');
    await applyOwned(secrets, { metadata: { name, namespace }, stringData: { of, by } });
  },
});
