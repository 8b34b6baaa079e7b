/** Many sources in one process: as informers, or as controllers of one manager. */
import { setTimeout as after } from 'node:timers/promises';
import { numberIn } from '../message.ts';
import { burst, memoryOf, requireSameState, reset, spent, untilSynced } from './ask.ts';
import type { Figures } from './figures.ts';
import { type Code, withPair } from './pair.ts';

export interface SourcesOptions {
  readonly code: Code;
  readonly as: 'informers' | 'controllers';
  readonly sources: number;
  /** ConfigMaps that each source shows. */
  readonly objects: number;
  readonly idleSeconds: number;
  readonly deadline: AbortSignal;
}

/** What follows a first list, such as the opening of a watch, is over by then. */
const SETTLE_MS = 1_000;

/** Starts them, lets them idle, and sends one event to each. @throws Error when one was lost. */
export async function measureSources(options: SourcesOptions): Promise<Figures> {
  const { code, as, sources, objects, idleSeconds, deadline } = options;
  const subject = as === 'informers' ? 'scale-informers' : 'scale-manager';
  const words = [String(sources)];
  const started = { code, profile: 'config-map', objects, subject, words, deadline } as const;
  return await withPair({ ...started, mode: 'apart' }, async (pair) => {
    const { server, child } = pair;
    await child.hear('imported');
    const before = await memoryOf(pair);
    await reset(pair, { delay: true });
    const syncMs = await untilSynced(pair);
    const sync = await spent(pair);
    await server.ask({ do: 'watching', watches: sources }, 'watching');
    const memory = await memoryOf(pair);
    if (idleSeconds > 0) await after(SETTLE_MS);
    const counts = await server.ask({ do: 'counts' }, 'counts');
    await reset(pair, { delay: false });
    await after(idleSeconds * 1_000);
    const idle = await spent(pair);
    await reset(pair, { delay: true });
    const eventMs = await burst(pair, { events: 1, keys: 0, marker: 'marker-1' });
    const event = await spent(pair);
    await requireSameState(pair);
    return {
      syncMs,
      syncCpuMs: sync.cpuMs,
      syncDelayMs: sync.delayMs,
      syncPeakBytes: sync.peakBytes,
      rssBytes: memory.rssBytes,
      heapPerSourceBytes: (memory.heapBytes - before.heapBytes) / sources,
      connections: numberIn(counts, 'connections'),
      mostLists: numberIn(counts, 'mostLists'),
      ...(idleSeconds > 0 && { idleCpuMsPerMinute: (idle.cpuMs / idleSeconds) * 60 }),
      eventMs,
      eventCpuMs: event.cpuMs,
      eventDelayMs: event.delayMs,
    };
  });
}
