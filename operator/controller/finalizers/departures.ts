import type { Client } from '../../client/client.ts';
import { OperatorError } from '../../core/errors.ts';
import type { KubernetesObject, ObjectKey, ObjectMeta } from '../../model/object.ts';
import type { Change } from '../../store/change.ts';
import type { Controller } from '../controller.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { Log } from '../reconciler.ts';
import { finalizerNameOf } from './finalizer.ts';

/** An object that the source no longer shows, as it was last seen. */
interface Missing {
  readonly key: ObjectKey;
  readonly metadata: ObjectMeta;
}

/** More objects than this that wait to be read are not told one by one. */
const MAX_WAITING = 1_000;

/** Maximum number of keys in a log line. */
const MAX_NAMES = 10;

const REMEDY = 'select them again until they are deleted, or remove the finalizer from them';

interface DeparturesOptions {
  readonly controller: Controller;
  readonly client: Pick<Client, 'find'>;
  readonly events: EventRecorder;
  readonly log: Log;
  /** True for a key that the cache has: its object is selected again. */
  readonly isSelected: (key: ObjectKey) => boolean;
  /** True for an object whose finalizer this process has removed. */
  readonly isFinalized: (key: ObjectKey, uid: string | undefined) => boolean;
  readonly signal: AbortSignal;
}

/**
 * Tells people of objects that leave the selectors of a source while they carry the finalizer of its controller:
 * nothing finalizes them from then on, so they cannot be deleted. A warning names them in the log, and each gets an
 * Event. Each departure is told once.
 *
 * The API server reports an object that leaves a selector as deleted, and a list says only that an object is missing.
 * So each such object is read once. Objects whose finalizer this process has removed are not: they are gone.
 */
export class Departures {
  readonly #options: DeparturesOptions;
  readonly #selector: string;
  #waiting: Missing[] = [];
  /** Number of objects that left while too many were waiting. */
  #uncounted = 0;
  #reading: Promise<void> | undefined;

  constructor(options: DeparturesOptions) {
    this.#options = options;
    const { labelSelector, fieldSelector } = options.controller.for;
    this.#selector = [labelSelector, fieldSelector].filter((each) => each).join(' and ');
  }

  /** True while objects are read. */
  get isReading(): boolean {
    return this.#reading !== undefined;
  }

  /** Resolves when nothing is read. */
  async ended(): Promise<void> {
    await this.#reading;
  }

  /** @param change - of the source of the controller. Returns at once. */
  changed(change: Change): void {
    const { controller, isFinalized } = this.#options;
    const finalizer = finalizerNameOf(controller);
    if (change.type !== 'delete' || this.#selector === '' || finalizer === undefined) return;
    const { key, metadata } = change;
    if (metadata.finalizers?.includes(finalizer) !== true || isFinalized(key, metadata.uid)) return;
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push({ key, metadata });
    else this.#uncounted++;
    this.#reading ??= this.#readAll(finalizer).finally(() => {
      this.#reading = undefined;
    });
  }

  async #readAll(finalizer: string): Promise<void> {
    const { log, signal } = this.#options;
    await Promise.resolve(); // the rest of the batch of changes
    while (this.#waiting.length > 0 && !signal.aborted) {
      const batch = this.#waiting;
      const uncounted = this.#uncounted;
      this.#waiting = [];
      this.#uncounted = 0;
      const left: ObjectKey[] = [];
      const unknown: ObjectKey[] = [];
      for (const each of batch) {
        if (signal.aborted) return;
        const found = await this.#read(each, finalizer);
        if (found === 'left') left.push(each.key);
        if (found === 'unknown') unknown.push(each.key);
      }
      const facts = { finalizer, selector: this.#selector, remedy: REMEDY };
      if (left.length > 0) {
        log.warn(
          { ...facts, ...named(left) },
          'objects with the finalizer have left the selector, they cannot be deleted',
        );
      }
      if (unknown.length + uncounted > 0) {
        const { keys } = named(unknown);
        log.warn(
          { ...facts, count: unknown.length + uncounted, keys },
          'objects with the finalizer are missing and could not be read: they are gone, or have left the selector',
        );
      }
    }
  }

  async #read(
    { key, metadata: { name, namespace, uid } }: Missing,
    finalizer: string,
  ): Promise<'left' | 'gone' | 'unknown'> {
    const { client, controller, events, isSelected, signal } = this.#options;
    const { resource } = controller.for;
    let live: KubernetesObject | undefined;
    try {
      live = await client.find<KubernetesObject>(resource, { name, namespace }, { signal });
    } catch (error) {
      if (!(error instanceof OperatorError) && !signal.aborted) throw error;
      return signal.aborted ? 'gone' : 'unknown';
    }
    if (live === undefined || live.metadata.uid !== uid) return 'gone';
    if (live.metadata.finalizers?.includes(finalizer) !== true || isSelected(key)) return 'gone';
    events.record({
      regarding: live,
      type: 'Warning',
      reason: 'LeftSelector',
      action: 'Watch',
      note: `no longer matches ${this.#selector}, the selector of controller ${controller.name}, and carries its finalizer ${finalizer}: it cannot be deleted until it matches again, or the finalizer is removed`,
    });
    return 'left';
  }
}

function named(keys: readonly ObjectKey[]) {
  return { count: keys.length, keys: keys.slice(0, MAX_NAMES) };
}
