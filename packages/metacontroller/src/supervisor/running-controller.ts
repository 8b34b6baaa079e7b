import { type Controller, messageOf, type Resource } from 'chancery';
import { linkedAbort, type PolicyRule, type RunnableContext, sourcesOf } from 'chancery/internal';
import type { KeyReader } from '../call/key-reader.ts';
import type { ConfiguredHooks } from '../controller-parts.ts';
import type { FailingParents } from './failing-parents.ts';
import { sourceTrouble, type WatchedSource } from './source-trouble.ts';
import type { Trouble } from './trouble.ts';

interface RunningControllerOptions {
  readonly controllers: readonly Controller[];
  /** These hooks are closed when the controller has stopped. */
  readonly hooks: ConfiguredHooks;
  /**
   * Reads keys of Secrets and ConfigMaps. It is closed after the hooks, when the controller has
   * stopped.
   */
  readonly keys: KeyReader;
  readonly failing: FailingParents;
  readonly context: Pick<RunnableContext, 'open' | 'start'>;
  /** When this signal aborts, the controller stops, in the same way as by `stop`. */
  readonly signal: AbortSignal;
  /** The rules that the controllers need on a resource. */
  readonly rulesOn: (resource: Resource) => readonly PolicyRule[];
  /** Called when `trouble` may have changed. */
  readonly changed: () => void;
}

/** The running controllers of one custom resource, one controller for each kind of parents. */
export class RunningController {
  readonly failing: FailingParents;
  readonly #options: RunningControllerOptions;
  readonly #stop;
  readonly #release = new DisposableStack();
  readonly #sources: readonly WatchedSource[];
  readonly #parents: readonly Resource[];
  readonly #ended: Promise<unknown>;
  #failure: Trouble | undefined;

  /**
   * @throws ConfigurationError `CONFIG` in the same cases as `RunnableContext.open`. All resources
   * are released before it is thrown.
   */
  constructor(options: RunningControllerOptions) {
    const { controllers, context, failing, signal } = options;
    this.#options = options;
    this.failing = failing;
    this.#stop = linkedAbort(signal);
    this.#parents = controllers.map((each) => each.for.resource);
    try {
      this.#sources = controllers.flatMap(sourcesOf).map((source) => {
        const { informer, release } = context.open({ ...source, optional: true });
        this.#release.defer(release);
        if (!source.optional) this.#release.defer(informer.onStateChange(options.changed));
        return { source, informer };
      });
    } catch (error) {
      this.#release.dispose();
      this.#stop[Symbol.dispose]();
      throw error;
    }
    this.#ended = Promise.all(controllers.map((each) => this.#run(each)));
  }

  /** The reason why the controller is not working. Undefined when it works. */
  get trouble(): Trouble | undefined {
    const needed = this.#sources.filter(({ source }) => !source.optional);
    return (
      this.#failure ??
      sourceTrouble(needed, this.#parents, this.#options.rulesOn) ??
      this.failing.trouble()
    );
  }

  /** Stops the controller. Resolves when its reconciles have ended and its watches are released. */
  async stop(reason: Error): Promise<void> {
    this.#stop.abort(reason);
    await this.#ended;
    this.#stop[Symbol.dispose]();
    const { hooks, keys } = this.#options;
    await Promise.allSettled(Object.values(hooks).map((hook) => hook.close()));
    keys.close();
    this.#release.dispose();
  }

  async #run(controller: Controller): Promise<void> {
    const { context, changed } = this.#options;
    try {
      await context.start(this.failing.observing(controller), this.#stop.signal);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#failure = { reason: 'Failed', message: messageOf(error), ends: true };
      changed();
    }
  }
}
