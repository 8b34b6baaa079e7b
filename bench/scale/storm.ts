/** All watches are cut, what they could resume from has expired, and the server comes back. */
import { freePort } from '@chancery/testing';
import { nanosecondsIn, numberIn } from '../message.ts';
import {
  burst,
  expectMarker,
  millisecondsBetween,
  requireSameState,
  reset,
  spent,
  untilSynced,
} from './ask.ts';
import type { Figures } from './figures.ts';
import { type Code, withPair } from './pair.ts';

export interface StormOptions {
  readonly code: Code;
  readonly as: 'informers' | 'controllers';
  readonly sources: number;
  /** ConfigMaps that each source shows. */
  readonly objects: number;
  readonly downMs: number;
  /** What the server takes for a page. */
  readonly listMs: number;
  /** Lists at a time, of informers. Default: what Chancery's is, 4. */
  readonly lists?: number;
  readonly deadline: AbortSignal;
}

/** `ListLimiter`'s default. */
export const LISTS_AT_A_TIME = 4;

/**
 * Restarts the server; a fifth of the objects has changed by then, a tenth is gone, and one is new. Then
 * one event goes to every source.
 *
 * @throws Error when a source has not the server's state in the end, or more lists were under way at
 *   the server than a process may have.
 */
export async function measureStorm(options: StormOptions): Promise<Figures> {
  const { code, as, sources, objects, downMs, listMs, deadline } = options;
  const { lists = LISTS_AT_A_TIME } = options;
  const isManager = as === 'controllers';
  const subject = isManager ? 'scale-manager' : 'scale-informers';
  const words = [String(sources), ...(isManager ? [] : [String(lists)])];
  const started = { code, profile: 'config-map', objects, subject, words, deadline } as const;
  // A port that systems give to nobody: while it is free, no client's own end must get it.
  const where = { mode: 'apart', port: await freePort(), listMs };
  return await withPair({ ...started, ...where }, async (pair) => {
    const { server, child } = pair;
    await child.hear('imported');
    await untilSynced(pair);
    await server.ask({ do: 'watching', watches: sources }, 'watching');
    await server.ask({ do: 'count' }, 'counted');
    await expectMarker(pair, 'marker-1');
    await reset(pair, { delay: true });
    const absence = { downMs, changed: Math.floor(objects / 5), removed: Math.floor(objects / 10) };
    const restarted = await server.ask(
      { do: 'restart', ...absence, marker: 'marker-1' },
      'restarted',
    );
    const back = nanosecondsIn(restarted, 'atNs');
    const relistMs = millisecondsBetween(back, await child.hear('seen'));
    const watching = await server.ask({ do: 'watching', watches: sources }, 'watching');
    const liveMs = millisecondsBetween(back, watching);
    const { cpuMs, delayMs, peakBytes } = await spent(pair);
    const counts = await server.ask({ do: 'counts' }, 'counts');
    await requireSameState(pair);
    const eventMs = await burst(pair, { events: 1, keys: 0, marker: 'marker-2' });
    await requireSameState(pair);
    const mostLists = numberIn(counts, 'mostLists');
    if (mostLists > lists) throw new Error(`${mostLists} lists at a time, of ${lists} at most`);
    return {
      lists: numberIn(counts, 'lists'),
      mostLists,
      relistMs,
      liveMs,
      stormCpuMs: cpuMs,
      stormDelayMs: delayMs,
      stormPeakBytes: peakBytes,
      eventMs,
      equalSources: sources,
    };
  });
}
