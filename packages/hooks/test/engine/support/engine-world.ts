/** An engine over hooks that no process runs and objects that no server has, at a time that the test decides. */
import { FakeClock, RecordingMeter, settle } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import type { ObjectKey } from '../../../../../operator/model/object.ts';
import type { HookEngineOptions, HookTrouble } from '../../../src/engine/engine-options.ts';
import { HookEngine } from '../../../src/engine/hook-engine.ts';
import type { Hook, HookConfig, KubernetesBinding, ScheduleBinding } from '../../../src/hook.ts';
import type {
  BindingListener,
  BindingObject,
  BindingWatch,
} from '../../../src/watch/binding-watch.ts';
import { NO_BINDINGS } from '../../support/documents.ts';

type Changes<T> = Partial<T> & { readonly name: string };

const COMMON = { queue: 'main', allowFailure: false, includeSnapshotsFrom: [] };

export function schedule(changes: Changes<ScheduleBinding>): ScheduleBinding {
  return { ...COMMON, crontab: '* * * * *', ...changes };
}

export function watches(changes: Changes<KubernetesBinding>): KubernetesBinding {
  return {
    ...COMMON,
    kind: 'ConfigMap',
    events: new Set(['Added', 'Modified', 'Deleted']),
    runsOnSynchronization: true,
    waitsForSynchronization: true,
    keepsFullObjects: true,
    ...changes,
  };
}

export function hook(name: string, config: Partial<HookConfig>): Hook {
  return { name, path: `/hooks/${name}`, config: { ...NO_BINDINGS, ...config }, rights: undefined };
}

/** The objects of one binding. Each has a text, which stands for everything in it. */
export class FakeWatch implements BindingWatch {
  synced = true;
  waitsFor: string | undefined;
  closed = false;
  listener: BindingListener | undefined;
  readonly #objects = new Map<ObjectKey, BindingObject>();

  snapshot(): readonly BindingObject[] {
    return [...this.#objects.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  close(): void {
    this.closed = true;
  }

  /** The first list is complete. */
  sync(): void {
    this.synced = true;
    this.waitsFor = undefined;
    this.listener?.synced();
  }

  put(name: string, value: unknown): void {
    const object = fakeObject(name, value);
    const type = this.#objects.has(object.key) ? 'Modified' : 'Added';
    this.#objects.set(object.key, object);
    if (this.synced) this.listener?.changed([{ type, object }]);
  }

  delete(name: string): void {
    const object = this.#objects.get(name as ObjectKey) ?? fakeObject(name, null);
    this.#objects.delete(object.key);
    if (this.synced) this.listener?.changed([{ type: 'Deleted', object }]);
  }
}

export function fakeObject(name: string, value: unknown): BindingObject {
  const text = JSON.stringify(value);
  return { key: name as ObjectKey, objectText: text, filterText: undefined, checksum: text };
}

/** An attempt that began. It ends when the test says so, or at once. */
export interface Attempt {
  readonly hook: string;
  readonly atMs: number;
  /** Parsed. Empty if the hook was not started. */
  readonly contexts: readonly Readonly<Record<string, unknown>>[];
  readonly signal: AbortSignal;
  readonly failed: boolean;
  succeed(): void;
  fail(error?: Error): void;
}

type Options = Partial<HookEngineOptions> & Pick<HookEngineOptions, 'hooks'>;

/** What happens to the next attempts of a hook. Without a word for it, an attempt succeeds at once. */
export type Ending = 'succeeds' | 'fails' | 'lasts' | 'resumes' | 'fails to resume';

export class EngineWorld {
  readonly clock = new FakeClock(Date.UTC(2026, 0, 5));
  readonly meter = new RecordingMeter();
  readonly attempts: Attempt[] = [];
  readonly troubles: (HookTrouble & { readonly hook: string })[] = [];
  readonly engine: HookEngine;
  readonly endings = new Map<string, Ending[]>();
  readonly watched: string[] = [];
  readonly #stop = new AbortController();
  readonly #watches = new Map<string, FakeWatch>();
  #ended: Promise<void> | undefined;

  constructor(options: Options) {
    const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    this.engine = new HookEngine({
      maxProcesses: 4,
      maxAttempts: undefined,
      clock: this.clock,
      random: () => 0,
      log: silent,
      meter: this.meter,
      onTrouble: ({ name }, trouble) => this.troubles.push({ hook: name, ...trouble }),
      newRun: ({ name }) => ({ attempt: (...of) => this.#attempt(name, ...of) }),
      watchBinding: ({ name }, binding, listener) => {
        this.watched.push(`${name} ${binding.name}`);
        return Object.assign(this.watch(name, binding.name), { listener });
      },
      ...options,
    });
  }

  /** The objects of a binding, before it is watched and after. */
  watch(hookName: string, binding: string): FakeWatch {
    const name = `${hookName} ${binding}`;
    const watch = this.#watches.get(name) ?? new FakeWatch();
    this.#watches.set(name, watch);
    return watch;
  }

  async start(): Promise<this> {
    this.#ended = this.engine.run(this.#stop.signal);
    onTestFinished(() => this.stop());
    await settle();
    return this;
  }

  /** Ends the engine, and those attempts that last. */
  async stop(reason: unknown = new Error('stopped')): Promise<void> {
    this.#stop.abort(reason);
    await settle();
    for (const attempt of this.attempts) attempt.succeed();
    await this.#ended;
  }

  /** Tells the engine to stop, and lets attempts last. */
  async tellToStop(reason: unknown): Promise<void> {
    this.#stop.abort(reason);
    await settle();
  }

  get ended(): Promise<void> | undefined {
    return this.#ended;
  }

  /** Hook and contexts of each attempt, in short: `a Synchronization(x) Event(Added y)`. */
  get log(): readonly string[] {
    return this.attempts.map(({ hook: name, contexts }) =>
      [name, ...contexts.map(short)].join(' '),
    );
  }

  async #attempt(
    name: string,
    contexts: () => Iterable<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const ending = this.endings.get(name)?.shift() ?? 'succeeds';
    const starts = ending !== 'resumes' && ending !== 'fails to resume';
    const text = starts ? [...contexts()].join('') : '[]';
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const attempt = {
      hook: name,
      atMs: this.clock.monotonic(),
      contexts: JSON.parse(text),
      signal,
      failed: false,
      succeed: resolve,
      fail: (error = new Error('the hook failed')) => {
        attempt.failed = true;
        reject(error);
      },
    };
    this.attempts.push(attempt);
    if (ending === 'succeeds' || ending === 'resumes') resolve();
    else if (ending !== 'lasts') attempt.fail();
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }
}

/** `Event(crops Added 1)`, where 1 is the object. */
function short(context: Readonly<Record<string, unknown>>): string {
  const { type = '', binding, watchEvent, object, objects, snapshots } = context;
  const facts = [binding, watchEvent, object, objects, snapshots]
    .filter((fact) => fact !== undefined)
    .map((fact) => (typeof fact === 'string' ? fact : JSON.stringify(fact)));
  return `${type}(${facts.join(' ')})`;
}
