/** An operator that writes all the time, and tells of it: what a frozen leader must not go on with. */
import { type ConfigMap, configMaps, controller, sleep } from 'chancery';

const PAUSE_MS = 5;
const WRITES_PER_EVENT = 10;

export default controller<ConfigMap>({
  name: 'busy-writer',
  for: configMaps,
  async reconcile(key, _seed, { client, clock, event, self, signal }) {
    if (key !== 'demo/seed') return {};
    const by = self.podName ?? '';
    for (let count = 1; !signal.aborted; count++) {
      const metadata = { namespace: 'demo', name: 'journal' };
      const data = { by, count: String(count), sentAt: String(clock.now()) };
      const journal = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
      await client.apply(configMaps, journal, { force: true });
      if (count % WRITES_PER_EVENT === 0) event('Normal', 'Written', `${by} wrote ${count} times`);
      await sleep(clock, PAUSE_MS, signal);
    }
    return {};
  },
});
