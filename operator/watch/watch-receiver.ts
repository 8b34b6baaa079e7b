import type { KubernetesObject } from '../model/object.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import { InitialEvents } from './initial-events.ts';
import type { CompleteList } from './list-all.ts';
import type { Position } from './position.ts';
import type { ReflectorSink } from './reflector-sink.ts';
import type { StatusReporter } from './reflector-status.ts';
import type { SourceMeter } from './source-meter.ts';
import type { Verifier } from './verifier.ts';
import type { WindowSink } from './watch-window.ts';

export interface WatchReceiverOptions<T extends KubernetesObject> {
  readonly sink: ReflectorSink<T>;
  readonly position: Position;
  readonly meter: SourceMeter;
  readonly reporter: StatusReporter;
  readonly verifier: Verifier;
  /** Where the list goes that the watch begins with; undefined when it begins with none. */
  readonly publish: ((list: CompleteList<T>) => Promise<void>) | undefined;
}

/** What comes out of one watch, brought where it belongs. */
export class WatchReceiver<T extends KubernetesObject> implements WindowSink<T> {
  readonly #options: WatchReceiverOptions<T>;
  /** The list that is coming; undefined when it is complete, and when there is none. */
  #initial: InitialEvents<T> | undefined;

  constructor(options: WatchReceiverOptions<T>) {
    this.#options = options;
    this.#initial = options.publish && new InitialEvents();
  }

  /** The list that the watch begins with is not complete yet. */
  get awaitsInitialEvents(): boolean {
    return this.#initial !== undefined;
  }

  accepted(): void {
    this.#options.meter.opened('ok');
    if (!this.awaitsInitialEvents) this.#options.reporter.accepted();
  }

  proven(): void {
    if (!this.awaitsInitialEvents) this.#options.reporter.proven();
  }

  async events(batch: readonly WatchEvent<T>[]): Promise<void> {
    this.#options.meter.received(batch);
    if (this.#initial === undefined) return this.#deliver(batch);
    const complete = this.#initial.take(batch);
    if (complete === undefined) return;
    this.#initial = undefined;
    await this.#options.publish?.(complete.list);
    this.#options.reporter.proven();
    if (complete.rest.length > 0) await this.#deliver(complete.rest);
  }

  async #deliver(batch: readonly WatchEvent<T>[]): Promise<void> {
    const { sink, position, meter, verifier } = this.#options;
    const older = await position.deliver(batch, {
      apply: async (events: readonly WatchEvent<T>[]) => {
        await sink.apply(events);
        verifier.observe(events);
      },
      version: (key) => sink.version(key),
      keys: () => sink.keys(),
    });
    for (let count = 0; count < older; count++) meter.regressed();
  }
}
