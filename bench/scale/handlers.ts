/** Many handlers on one informer, and many controllers of one manager on one source. */
import { numberIn } from '../message.ts';
import { burst, expectMarker, memoryOf, reset, spent, untilSynced } from './ask.ts';
import type { Figures } from './figures.ts';
import { type Code, type Pair, withPair } from './pair.ts';

export interface HandlersOptions {
  readonly code: Code;
  readonly handlers: number;
  readonly objects: number;
  readonly events: number;
  readonly deadline: AbortSignal;
}

/** So many handlers are added at once to a cache that is full; then comes a burst. */
export async function measureHandlers(options: HandlersOptions): Promise<Figures> {
  const { code, handlers, objects, events, deadline } = options;
  const started = { code, profile: 'config-map', objects, subject: 'scale-handlers' } as const;
  return await withPair({ ...started, deadline }, async (pair) => {
    await begin(pair);
    const before = await memoryOf(pair);
    await reset(pair, { delay: true });
    await pair.child.ask({ do: 'handlers', handlers }, 'handlers');
    const added = await spent(pair);
    const memory = await memoryOf(pair);
    await burst(pair, { events, keys: objects, marker: 'marker-1' }); // compiles what follows runs
    await reset(pair, { delay: false });
    await burst(pair, { events, keys: objects, marker: 'marker-2' });
    const { cpuMs } = await spent(pair);
    return {
      addCpuMs: added.cpuMs,
      addDelayMs: added.delayMs,
      addPeakBytes: added.peakBytes,
      heapPerHandlerBytes: (memory.heapBytes - before.heapBytes) / handlers,
      cpuPerEventUs: (cpuMs / events) * 1e3,
      cpuPerCallUs: (cpuMs / events / handlers) * 1e3,
    };
  });
}

const RATE = 200;

export interface SlowOptions extends HandlersOptions {
  readonly seconds: number;
}

/**
 * One handler more, which holds its first promise: how late the others are told, and what waits.
 *
 * @throws Error when more waits than two changes for each key, or when the slow handler does not know
 *   the server's state after it has been let go.
 */
export async function measureSlowHandler(options: SlowOptions): Promise<Figures> {
  const { code, handlers, objects, events, seconds, deadline } = options;
  const started = { code, profile: 'config-map', objects, subject: 'scale-handlers' } as const;
  return await withPair({ ...started, deadline }, async (pair) => {
    const { server, child } = pair;
    await begin(pair);
    await child.ask({ do: 'handlers', handlers }, 'handlers');
    await burst(pair, { events, keys: objects, marker: 'marker-1' });
    const alone = await latency(pair, seconds, 'marker-2');
    await child.ask({ do: 'slow' }, 'slow');
    const beside = await latency(pair, seconds, 'marker-3');
    await burst(pair, { events: objects + 1, keys: objects, marker: 'marker-4' });
    const before = await memoryOf(pair);
    await burst(pair, { events, keys: objects, marker: 'marker-5' });
    const memory = await memoryOf(pair);
    const released = await child.ask({ do: 'release' }, 'released');
    const pending = numberIn(released, 'pending');
    const known = objects + 2 * RATE * seconds + 5;
    if (pending > known) throw new Error(`${pending} changes wait, of ${known} keys`);
    const { digest } = await server.ask({ do: 'digest' }, 'digest');
    if (released.digest !== digest) throw new Error('the slow handler has missed something');
    return {
      aloneP50Ms: alone.p50Ms,
      aloneP99Ms: alone.p99Ms,
      slowP50Ms: beside.p50Ms,
      slowP99Ms: beside.p99Ms,
      pending,
      grownPerEventBytes: (memory.heapBytes - before.heapBytes) / events,
    };
  });
}

async function begin(pair: Pair): Promise<void> {
  await pair.child.hear('imported');
  await untilSynced(pair);
  await pair.server.ask({ do: 'watching', watches: 1 }, 'watching');
}

async function latency(
  pair: Pair,
  seconds: number,
  marker: string,
): Promise<{ readonly p50Ms: number; readonly p99Ms: number }> {
  await expectMarker(pair, marker);
  await reset(pair, { delay: false });
  await pair.server.ask({ do: 'trickle', rate: RATE, seconds, marker }, 'trickled');
  await pair.child.hear('seen');
  const report = await pair.child.ask({ do: 'report' }, 'report');
  return { p50Ms: numberIn(report, 'latencyP50Ms'), p99Ms: numberIn(report, 'latencyP99Ms') };
}

export interface ControllersOptions {
  readonly code: Code;
  readonly controllers: number;
  readonly objects: number;
  /** Bursts of one event for each object, one after the other, so that none are merged. */
  readonly bursts: number;
  readonly deadline: AbortSignal;
}

/** Controllers on one source reconcile each object once, and then each event. */
export async function measureControllers(options: ControllersOptions): Promise<Figures> {
  const { code, controllers, objects, bursts, deadline } = options;
  const words = [String(controllers)];
  const subject = { subject: 'scale-manager', mode: 'shared', words } as const;
  const started = { code, profile: 'config-map', objects, ...subject, deadline } as const;
  return await withPair(started, async (pair) => {
    await pair.child.hear('imported');
    const before = await memoryOf(pair);
    await reset(pair, { delay: true });
    const syncMs = await untilSynced(pair);
    const first = await spent(pair);
    const memory = await memoryOf(pair);
    await pair.server.ask({ do: 'watching', watches: 1 }, 'watching');
    await reset(pair, { delay: true });
    for (let number = 1; number <= bursts; number++) {
      await burst(pair, { events: objects + 1, keys: objects, marker: `marker-${number}` });
    }
    const { cpuMs, delayMs } = await spent(pair);
    const events = bursts * (objects + 1);
    return {
      syncMs,
      syncCpuMs: first.cpuMs,
      syncDelayMs: first.delayMs,
      syncPeakBytes: first.peakBytes,
      heapPerHandlerBytes: (memory.heapBytes - before.heapBytes) / controllers,
      cpuPerEventUs: (cpuMs / events) * 1e3,
      cpuPerCallUs: (cpuMs / events / controllers) * 1e3,
      eventDelayMs: delayMs,
    };
  });
}
