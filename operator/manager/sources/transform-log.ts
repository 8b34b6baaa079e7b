import type { TransformObserver } from '../../client/source.ts';
import type { Log } from '../../controller/reconciler.ts';
import type { Clock } from '../../core/clock.ts';
import type { Labels, Meter } from '../../core/metrics.ts';
import type { ObjectKey } from '../../model/object.ts';

/** Lines in an hour about objects of one source; a transform may fail for every object of a cluster. */
const MAX_LINES = 20;
const PERIOD_MS = 60 * 60_000;

interface TransformLogOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly labels: Labels;
  /** What names the source in a log line. */
  readonly facts: object;
}

/**
 * Counts the failures of a source's transform, and logs each object by its key: once until its
 * transform succeeds, at most 20 objects an hour.
 */
export function transformLog({
  log,
  clock,
  meter,
  labels,
  facts,
}: TransformLogOptions): TransformObserver {
  const told = new Set<ObjectKey>();
  let lines = 0;
  let since = clock.monotonic();
  return {
    failed(key, err) {
      meter.count('chancery_transform_errors_total', labels);
      if (clock.monotonic() - since >= PERIOD_MS) {
        told.clear();
        lines = 0;
        since = clock.monotonic();
      }
      if (told.has(key) || lines >= MAX_LINES) return;
      told.add(key);
      lines++;
      const further =
        lines === MAX_LINES ? { further: 'are counted, not logged, for an hour' } : {};
      log.error({ ...facts, key, err, ...further }, 'transform failed, the object cannot be read');
    },
    settled(key) {
      if (told.size > 0) told.delete(key);
    },
  };
}
