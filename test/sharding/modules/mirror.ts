/**
 * Writes for each ConfigMap with the label a Secret with the same text and the name of the replica that wrote it.
 * `MIRROR_CPU_MS` is the CPU that each key takes, and `MIRROR_WORKERS` the number of reconciles side by side.
 */
import process from 'node:process';
import { controller } from 'chancery';
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
  maxConcurrentReconciles: Number(process.env.MIRROR_WORKERS ?? 1),
  async reconcile({ metadata: { name = '', namespace = '' }, data }, { applyOwned, self }) {
    work();
    await applyOwned(secrets, {
      metadata: { name, namespace },
      stringData: { of: data?.text ?? '', by: self.podName ?? '' },
    });
  },
});

/** CPU time, and not time that passes: two replicas on one core must not work twice as fast. */
function work(): void {
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    if (user + system >= CPU_MS * 1_000) return;
  }
}
