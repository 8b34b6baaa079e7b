import { FakeClock, RecordingMeter } from '@chancery/testing';
import { expect, onTestFinished } from 'vitest';
import type { ObjectKey } from '../../operator/model/object.ts';
import { Cache } from '../../operator/store/cache.ts';
import type { ListWatch } from '../../operator/watch/list-watch.ts';
import { Reflector, type ReflectorSink } from '../../operator/watch/reflector.ts';
import type { ReflectorNotice, ReflectorOptions } from '../../operator/watch/reflector-options.ts';
import type { ReflectorStatus } from '../../operator/watch/reflector-status.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';

/** A reflector over `source` into a real cache, everything that it tells written down. */
export function start<S extends ListWatch<Thing> = FakeCollection>(
  options: Partial<ReflectorOptions> = {},
  source: S = new FakeCollection() as unknown as S,
  told: (status: ReflectorStatus) => void = () => {},
) {
  const clock = (options.clock as FakeClock | undefined) ?? new FakeClock();
  const stop = new AbortController();
  const cache = new Cache<Thing>();
  const meter = new RecordingMeter();
  const notices: ReflectorNotice[] = [];
  const statuses: string[] = [];
  const drift: ObjectKey[][] = [];
  /** Every change that the cache made of what it was told, as `add demo/a 101`. */
  const changes: string[] = [];
  let replaced = 0;
  const noted = (made: ReturnType<Cache<Thing>['replace']>): void => {
    for (const { type, entry } of made) {
      changes.push(`${type} ${entry.key} ${entry.resourceVersion}`);
    }
  };
  const sink: ReflectorSink<Thing> = {
    known: (key) => cache.entries?.get(key),
    replace: ({ items }) => {
      replaced++;
      noted(cache.replace(items));
    },
    apply: (batch) => {
      for (const event of batch) noted(cache.apply(event));
    },
    statusChanged: (status) => {
      const { health, reason } = status;
      told(status);
      statuses.push(reason === undefined ? health : `${health}: ${reason}`);
    },
    verified: (keys) => drift.push([...keys]),
    keys: () => cache.entries?.keys() ?? [],
  };
  const reflector = new Reflector(source, sink, {
    random: () => 0.5,
    relistIntervalMs: 0,
    meter,
    onNotice: (notice) => notices.push(notice),
    ...options,
    clock,
  });
  const running = reflector.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    if (options.clock === undefined) expect(clock.pending).toBe(0);
  });
  return {
    clock,
    collection: source,
    reflector,
    meter,
    notices,
    statuses,
    drift,
    changes,
    running,
    stop: () => stop.abort(),
    cached: () => Array.from(cache.entries?.values() ?? [], ({ object }) => object),
    names: () => [...(cache.entries?.keys() ?? [])].sort(),
    replaced: () => replaced,
  };
}
