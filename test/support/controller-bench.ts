import { FakeClock, RecordingMeter, settle } from '@chancery/testing';
import { expect, onTestFinished } from 'vitest';
import { type ControllerOptions, controller } from '../../operator/controller/controller.ts';
import type { EventNote } from '../../operator/controller/events/event-recorder.ts';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { ControllerRunner } from '../../operator/controller/run/runner.ts';
import type { RunnerOptions } from '../../operator/controller/run/runner-options.ts';
import { isSameResource, type Source, source } from '../../operator/controller/source.ts';
import type { Entry } from '../../operator/model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../../operator/model/object.ts';
import { defineResource, type Resource } from '../../operator/model/resource.ts';
import { Informer } from '../../operator/store/informer.ts';
import { FakeCollection, type Thing } from './fake-collection.ts';
import { noClient } from './no-client.ts';
import { type LogLine, recordingLog } from './recording-log.ts';

export const things: Resource<Thing> = defineResource<Thing>({
  group: 'example.dev',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  namespaced: true,
});
export const others: Resource<Thing> = defineResource<Thing>({ ...things, plural: 'others' });

type Options = Omit<ControllerOptions<Thing>, 'name' | 'for'> &
  Partial<Pick<ControllerOptions<Thing>, 'for'>>;

/** A controller at work over collections of the test's, on a clock of the test's. */
export class ControllerBench {
  readonly clock: FakeClock = new FakeClock(1_000_000);
  readonly meter: RecordingMeter = new RecordingMeter();
  readonly events: EventNote[] = [];
  readonly lines: LogLine[];
  readonly runner: ControllerRunner;
  /** What collections are made of that nobody has named yet. */
  newCollection: () => FakeCollection = () => new FakeCollection();
  readonly #collections = new Map<Source, FakeCollection>();
  readonly #informers = new Map<Source, Informer<Thing>>();
  readonly #stop = new AbortController();
  readonly #hardStop = new AbortController();
  #watching: Promise<unknown> = Promise.resolve();
  #running: Promise<void> = Promise.resolve();

  constructor(options: Options, settings: Partial<RunnerOptions> = {}) {
    const { lines, logFor } = recordingLog();
    const { clock, meter } = this;
    this.lines = lines;
    this.runner = new ControllerRunner({
      controller: controller<Thing>({ name: 'test', for: things, ...options }),
      informerFor: (of) => this.#informerFor(of),
      client: noClient,
      events: { record: (event) => void this.events.push(event) },
      clock,
      meter,
      self: { namespace: 'demo', podName: 'me' },
      logFor,
      ...settings,
    });
    onTestFinished(() => this.stop());
  }

  /** What the API server has of a resource, or of one source of several. */
  collection(of: Resource | Source = things): FakeCollection {
    const wanted = 'resource' in of ? of : undefined;
    for (const [each, collection] of this.#collections) {
      if (each === wanted || (!wanted && isSameResource(each.resource, of as Resource))) {
        return collection;
      }
    }
    const collection = this.newCollection();
    this.#collections.set(wanted ?? source(of as Resource), collection);
    return collection;
  }

  /** What is cached of a resource. */
  cached(of: Resource = things): readonly Entry<Thing>[] {
    const informers = [...this.#informers].filter(([each]) => isSameResource(each.resource, of));
    return informers.flatMap(([, informer]) => [...informer.entries()]);
  }

  /** Every source has its first list. */
  get synced(): boolean {
    return [...this.#informers.values()].every(({ synced }) => synced);
  }

  count(name: string): number {
    return this.meter.value(name, { controller: 'test' });
  }

  /** Lists and watches; nobody is told. */
  async standBy(): Promise<void> {
    this.runner.attach();
    const informers = [...this.#informers.values()];
    this.#watching = Promise.all(informers.map((each) => each.run(this.#hardStop.signal)));
    await settle();
  }

  /** Works, until the end of the test. */
  async run(): Promise<void> {
    if (this.#informers.size === 0) await this.standBy();
    this.#running = this.runner.run(this.#stop.signal, this.#hardStop.signal);
    await settle();
  }

  /** As the process does: no more keys; signals abort; nothing is left. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the test ends'));
    this.#hardStop.abort(new Error('the test ends'));
    await Promise.all([this.#running, this.#watching]);
    expect(this.clock.pending).toBe(0);
  }

  /** Stops taking keys, and resolves when what is under way has ended. */
  async drain(): Promise<void> {
    this.#stop.abort(new Error('the test drains'));
    await this.#running;
  }

  /** What is under way is aborted. */
  abort(reason: Error): void {
    this.#hardStop.abort(reason);
  }

  #informerFor(of: Source): Informer<KubernetesObject> {
    const known = this.#informers.get(of);
    const informer =
      known ??
      new Informer<Thing>(
        this.collection(this.#collections.has(of) ? of : of.resource),
        { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
        { clock: this.clock, random: () => 0, relistIntervalMs: 0 },
      );
    this.#informers.set(of, informer);
    if (known === undefined) {
      for (const [name, index] of Object.entries(of.indexes ?? {})) informer.addIndex(name, index);
    }
    return informer as unknown as Informer<KubernetesObject>;
  }
}

/** A reconciler that remembers the keys of its objects, and a `gone` that does the same. */
export function recordKeys(): {
  readonly keys: ObjectKey[];
  readonly reconcile: (
    object: KubernetesObject,
    context: Pick<ReconcileContext, 'key'>,
  ) => Promise<void>;
  /** Remembers a key without an object as well. */
  readonly gone: (key: ObjectKey) => void;
} {
  const keys: ObjectKey[] = [];
  return {
    keys,
    reconcile: async (_object, { key }) => {
      keys.push(key);
    },
    gone: (key) => {
      keys.push(key);
    },
  };
}
