import { FakeClock } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import type { Change } from '../../operator/store/change.ts';
import { Informer, type InformerOptions } from '../../operator/store/informer.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';

export interface StartedInformer {
  readonly clock: FakeClock;
  readonly collection: FakeCollection;
  readonly informer: Informer<Thing>;
  readonly handlerErrors: unknown[];
  /** `index: message` of each index function that was told of. */
  readonly indexErrors: string[];
  readonly stop: () => void;
  readonly run: () => Promise<void>;
}

/** An informer over `collection`, with time of its own; it runs when told to, and ends with the test. */
export function start(
  collection: FakeCollection = new FakeCollection(),
  options: Partial<InformerOptions> = {},
): StartedInformer {
  const clock = new FakeClock();
  const stop = new AbortController();
  const handlerErrors: unknown[] = [];
  const indexErrors: string[] = [];
  const informer = new Informer<Thing>(
    collection,
    {
      statusChanged: () => {},
      drifted: () => {},
      handlerFailed: (error) => handlerErrors.push(error),
      indexFailed: (index, error) => indexErrors.push(`${index}: ${String(error)}`),
    },
    { clock, random: () => 0.5, relistIntervalMs: 0, ...options },
  );
  let running = Promise.resolve();
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return {
    clock,
    collection,
    informer,
    handlerErrors,
    indexErrors,
    stop: () => stop.abort(),
    run: (): Promise<void> => {
      running = informer.run(stop.signal);
      return running;
    },
  };
}

/** A handler that writes down what it is told, as `add a=1 (initial)`. */
export function listener(): {
  told: string[];
  handler: (changes: readonly Change<Thing>[]) => void;
} {
  const told: string[] = [];
  return {
    told,
    handler: (changes) => {
      for (const change of changes) told.push(inWords(change));
    },
  };
}

function inWords(change: Change<Thing>): string {
  const { metadata, value } = change.object;
  const initial = change.type === 'add' && change.initial ? ' (initial)' : '';
  const resync = change.type === 'update' && change.resync === true ? ' (resync)' : '';
  const unsure = change.type === 'delete' && change.finalStateUnknown ? '?' : '';
  return `${change.type}${unsure} ${metadata.name}=${value}${initial}${resync}`;
}
