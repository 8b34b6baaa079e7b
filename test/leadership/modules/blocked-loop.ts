/** A writer that blocks its event loop for longer than its lease, and writes at once when it is done. */
import { controller } from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';

const BLOCKED_MS = 7_000;

export default controller<ConfigMap>({
  name: 'blocked-loop',
  for: configMaps,
  async reconcile(_seed, { key, client, self }) {
    if (key !== 'demo/seed') return;
    const metadata = { namespace: 'demo', name: 'journal' };
    const write = (text: string): Promise<ConfigMap> =>
      client.apply(configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata,
        data: { by: self.podName ?? '', text },
      });
    await write('before');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS); // blocks, and uses no CPU
    const [first, second] = await Promise.allSettled([write('after'), write('after, again')]);
    process.stderr.write(
      `${JSON.stringify({ first: outcomeOf(first), second: outcomeOf(second) })}\n`,
    );
  },
});

function outcomeOf(result: PromiseSettledResult<unknown>): unknown {
  if (result.status === 'fulfilled') return 'written';
  const { code, layer } = result.reason as { readonly code?: string; readonly layer?: string };
  return { code, layer };
}
