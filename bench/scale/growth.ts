/** One informer, and more and more objects: what the side-by-side runs measure of it, for each object. */
import type { ProfileName } from '../../test/support/load/profiles.ts';
import { runPhases } from '../phases.ts';
import type { Figures } from './figures.ts';
import { type Code, withPair } from './pair.ts';

export interface GrowthOptions {
  readonly code: Code;
  readonly profile: ProfileName;
  readonly objects: number;
  /** A burst that goes round all objects. */
  readonly events: number;
  readonly deadline: AbortSignal;
}

/** First list, burst and relist. */
export async function measureGrowth(options: GrowthOptions): Promise<Figures> {
  const { code, profile, objects, events, deadline } = options;
  const subject = { subject: 'chancery-informer', mode: 'envelope' } as const;
  return await withPair({ code, profile, objects, ...subject, deadline }, async (pair) => {
    const work = { profile, objects, burst: events, relist: true, subjects: [] };
    const figures = await runPhases({ ...pair, subject: {}, work });
    const { listMs, syncDelayMs, syncPeakBytes, heapBytes, rssBytes } = figures;
    const { cpuSecondsPer100k = Number.NaN, relistMs, relistDelayMs, relistPeakBytes } = figures;
    return {
      syncMs: listMs,
      syncDelayMs,
      syncPeakBytes,
      heapBytes,
      rssBytes,
      cpuPerEventUs: cpuSecondsPer100k * 10,
      relistMs,
      stormDelayMs: relistDelayMs,
      stormPeakBytes: relistPeakBytes,
    };
  });
}

/** What was measured with so many objects. */
export interface Measured {
  readonly objects: number;
  readonly value: number;
}

/**
 * What each object more costs: from the fewest objects on, since what a process costs without any is
 * not theirs. The fewest have none.
 */
export function perObjectMore(measured: readonly Measured[]): readonly Measured[] {
  const [first, ...more] = measured.toSorted((a, b) => a.objects - b.objects);
  if (first === undefined) return [];
  return more.map(({ objects, value }) => ({
    objects,
    value: (value - first.value) / (objects - first.objects),
  }));
}
