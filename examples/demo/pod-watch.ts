import type { ObjectMeta } from 'chancery';
import { type Pod, pods } from 'chancery/kubernetes';
import { type Change, Informer, listWatch, systemClock, type Transport } from 'chancery/low-level';
import type { Timeline } from '../try/timeline.ts';

/** Tells of Pods coming and going, and knows when a rollout is over. */
export class PodWatch {
  readonly #informer: Informer<Pod>;
  readonly #timeline: Timeline;
  /** Pods that have been told of as ready. */
  readonly #ready = new Set<string>();

  constructor(transport: Transport, namespace: string, timeline: Timeline) {
    this.#timeline = timeline;
    this.#informer = new Informer(
      listWatch(transport, pods, { namespace }),
      { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
      { clock: systemClock },
    );
    this.#informer.addHandler((changes) => {
      for (const change of changes) this.#tell(change);
      this.#wake();
    });
  }

  #wake: () => void = () => {};

  /** Names of the Pods that exist and are not being deleted. */
  get names(): readonly string[] {
    if (!this.#informer.synced) return [];
    return this.#informer.store
      .list()
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#informer.run(signal);
  }

  /** Resolves when exactly `count` Pods exist, all ready and none of `except`. */
  async allReady(
    count: number,
    except: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    for (;;) {
      const all = this.#informer.synced ? this.#informer.store.list() : [];
      const names = all.map(({ metadata }) => metadata.name);
      const done = all.every((pod) => isReady(pod)) && !names.some((name) => except.includes(name));
      if (done && names.length === count) return names;
      await new Promise<void>((resolve, reject) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    }
  }

  #tell(change: Change<Pod>): void {
    const { name } = change.metadata;
    const tell = (what: string): void => this.#timeline.tell('cluster', `Pod ${name} ${what}`);
    if (change.type === 'delete') tell('is gone');
    else if (change.type === 'update' && startsToStop(change.old.metadata, change.metadata))
      tell('is stopping');
    else if (isReady(change.object) && !this.#ready.has(name)) {
      this.#ready.add(name);
      tell('is ready');
    }
  }
}

function startsToStop(old: ObjectMeta, now: ObjectMeta): boolean {
  return old.deletionTimestamp === undefined && now.deletionTimestamp !== undefined;
}

function isReady({ metadata, status }: Pod): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True')
  );
}
