/** An operator that writes all the time, and tells of it: what a frozen leader must not go on with. */
import { controller } from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';
import { sleep } from '../../../operator/core/clock.ts';

/**
 * The first writer waits between two writes. The second computes before each: a process that is frozen
 * in the middle of that goes on to its write when it wakes, before any timer or answer. Without
 * `WRITER_PAUSE_MS` it never rests.
 */
const PAUSE_MS = Number(process.env.WRITER_PAUSE_MS ?? 0);
const WRITERS = [
  { pauseMs: 5 + PAUSE_MS, busyMs: 0 },
  { pauseMs: PAUSE_MS, busyMs: 10 },
];
const WRITES_PER_EVENT = 10;

type Writing = (typeof WRITERS)[number];

const NOTHING = new Int32Array(new SharedArrayBuffer(4));

export default controller<ConfigMap>({
  name: 'busy-writer',
  for: configMaps,
  async reconcile(_seed, { key, client, clock, event, self, signal }) {
    if (key !== 'demo/seed') return;
    const by = self.podName ?? '';
    const writeOn = async ({ pauseMs, busyMs }: Writing, writer: number): Promise<void> => {
      for (let count = 1; !signal.aborted; count++) {
        compute(busyMs);
        const metadata = { namespace: 'demo', name: `journal-${writer}` };
        const data = { by, count: String(count), sentAt: String(clock.now()) };
        const journal = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
        await client.apply(configMaps, journal, { force: true });
        if (count % WRITES_PER_EVENT === 0)
          event('Normal', 'Written', `${by} wrote ${count} times`);
        if (pauseMs > 0) await sleep(clock, pauseMs, signal);
      }
    };
    await Promise.all(WRITERS.map(writeOn));
  },
});

/** Blocks the loop as a computation does, and leaves the core to other processes. */
function compute(ms: number): void {
  if (ms > 0) Atomics.wait(NOTHING, 0, 0, ms);
}
