import { type Clock, OperatorError } from 'chancery';
import { abortable, noMeter, type RunnableContext, sleep } from 'chancery/internal';
import type { ReviewItem } from '../context/context-item.ts';
import { contextText } from '../context/context-text.ts';
import { HOOK_METRICS } from '../engine/metric-names.ts';
import type { Hook, KubernetesBinding } from '../hook.ts';
import { ProcessSlots } from '../queue/process-slots.ts';
import { HookError } from '../run/hook-error.ts';
import type { AskHook, HookResponses, HookRunFacts } from '../run/hook-run.ts';
import type { BindingListener, BindingWatch, WatchBinding } from '../watch/binding-watch.ts';

/** Passes one request of the API server to a hook. */
export type AskReview = (
  hook: Hook,
  item: ReviewItem,
  signal: AbortSignal,
) => Promise<HookResponses>;

/** The objects of the running process that reviews need. */
interface RunningParts {
  readonly hooks: readonly Hook[];
  readonly ask: AskHook;
  readonly watchBinding: WatchBinding;
  /** Maximum number of concurrent runs for reviews, in addition to the runs of queues. */
  readonly maxProcesses: number;
  readonly context: Pick<RunnableContext, 'clock' | 'meter'>;
}

interface Running extends Pick<RunningParts, 'ask' | 'context'> {
  readonly slots: ProcessSlots;
  /** The watches of the bindings whose snapshots are included in reviews. */
  readonly watches: ReadonlyMap<KubernetesBinding, BindingWatch>;
}

/** The name of the queue in logs and metrics. No real queue has this name. */
const QUEUE = 'webhooks';

/**
 * Passes requests of the API server to hooks. Every replica does so, with or without leadership. A
 * request waits in no queue, is not retried, and has its own process.
 */
export class HookReviews {
  readonly #running: PromiseWithResolvers<Running> = Promise.withResolvers();

  /** Passes requests to hooks from now on, until the process ends. */
  begin({ hooks, ask, watchBinding, maxProcesses, context }: RunningParts): void {
    const watches = hooks.flatMap((hook) =>
      shownBindings(hook).map(
        (binding) => [binding, watchBinding(hook, binding, NO_LISTENER)] as const,
      ),
    );
    // The metric of waiting times is for queues. The wait of a review is already part of the
    // latency of its webhook.
    const slots = new ProcessSlots(maxProcesses, context.clock, noMeter);
    this.#running.resolve({ ask, slots, context, watches: new Map(watches) });
  }

  /**
   * See `AskReview`.
   *
   * @throws HookError even when only a snapshot cannot be listed. Messages begin with the name of
   * the hook.
   */
  readonly ask: AskReview = async (hook, item, signal) => {
    try {
      return await this.#asked(hook, item, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(hook, error);
    }
  };

  async #asked(hook: Hook, item: ReviewItem, signal: AbortSignal): Promise<HookResponses> {
    const { ask, slots, watches, context } = await abortable(this.#running.promise, signal);
    const included = hook.config.kubernetes.filter(({ name }) =>
      item.binding.includeSnapshotsFrom.includes(name),
    );
    for (const binding of included) {
      await listed(hook, watches.get(binding), context.clock, signal);
    }
    using _slot = await slots.take(signal);
    const contexts = contextText(hook, [item], (each) => watches.get(each)?.snapshot() ?? []);
    const facts = { binding: item.binding.name, queue: QUEUE };
    return await measured(hook, facts, context, () => ask(hook, facts, contexts, signal));
  }
}

/**
 * The error with the name of the hook. An error that is not an OperatorError is a bug, and passes
 * unchanged.
 */
function failureOf({ name: hook }: Hook, error: unknown): unknown {
  if (!(error instanceof OperatorError)) return error;
  const { code, layer, context } = error;
  const facts = { ...context, hook };
  return new OperatorError(`${hook}: ${error.message}`, {
    code,
    layer,
    context: facts,
    cause: error,
  });
}

/** Measures a run in the same metrics as the runs of queues. */
async function measured<T>(
  { name: hook }: Hook,
  facts: HookRunFacts,
  { clock, meter }: RunningParts['context'],
  run: () => Promise<T>,
): Promise<T> {
  const labels = { hook, ...facts };
  const beganAt = clock.monotonic();
  try {
    const result = await run();
    meter.count(HOOK_METRICS.runSuccess, labels);
    return result;
  } catch (error) {
    meter.count(HOOK_METRICS.runErrors, labels);
    throw error;
  } finally {
    meter.observe(HOOK_METRICS.runSeconds, labels, (clock.monotonic() - beganAt) / 1_000);
  }
}

/** The bindings of a hook whose snapshots are included in its reviews. */
export function shownBindings({ config }: Hook): readonly KubernetesBinding[] {
  const reviews = [...config.admission, ...config.conversions];
  const names = new Set(reviews.flatMap(({ includeSnapshotsFrom }) => includeSnapshotsFrom));
  return config.kubernetes.filter(({ name }) => names.has(name));
}

/** A listener that ignores changes, because a review reads the snapshots when it needs them. */
const NO_LISTENER: BindingListener = { synced: () => {}, changed: () => {} };

/** Interval at which an unfinished list is checked: it may turn out to be impossible. */
const LOOK_MS = 100;

/**
 * Waits for the first list of a binding. Fails for a binding that waits for something, such as a
 * kind that is not served.
 */
async function listed(
  { name: hook }: Hook,
  watch: BindingWatch | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (watch?.synced === false) {
    if (watch.waitsFor !== undefined) {
      const message = `a snapshot that it shows is missing: the binding ${watch.waitsFor}`;
      throw new HookError('result', message, { context: { hook } });
    }
    await sleep(clock, LOOK_MS, signal);
  }
}
