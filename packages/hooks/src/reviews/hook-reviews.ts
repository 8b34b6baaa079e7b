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

/** Asks a hook one question of the API server. */
export type AskReview = (
  hook: Hook,
  item: ReviewItem,
  signal: AbortSignal,
) => Promise<HookResponses>;

/** What questions need of the process that runs. */
interface RunningParts {
  readonly hooks: readonly Hook[];
  readonly ask: AskHook;
  readonly watchBinding: WatchBinding;
  /** Runs for questions at a time, beside those of queues. */
  readonly maxProcesses: number;
  readonly context: Pick<RunnableContext, 'clock' | 'meter'>;
}

interface Running extends Pick<RunningParts, 'ask' | 'context'> {
  readonly slots: ProcessSlots;
  /** Of the bindings whose snapshots are shown in reviews. */
  readonly watches: ReadonlyMap<KubernetesBinding, BindingWatch>;
}

/** The queue in logs and metrics. No binding waits in it. */
const QUEUE = 'webhooks';

/**
 * Asks hooks what the API server wants to know. Every replica does, leader or not. A question waits in no queue, is asked
 * once, and has a process of its own.
 */
export class HookReviews {
  readonly #running: PromiseWithResolvers<Running> = Promise.withResolvers();

  /** From now on questions are asked, until the process ends. */
  begin({ hooks, ask, watchBinding, maxProcesses, context }: RunningParts): void {
    const watches = hooks.flatMap((hook) =>
      shownBindings(hook).map(
        (binding) => [binding, watchBinding(hook, binding, NO_LISTENER)] as const,
      ),
    );
    // Waits of queues are measured, and those of questions are part of the latency of their webhook.
    const slots = new ProcessSlots(maxProcesses, context.clock, noMeter);
    this.#running.resolve({ ask, slots, context, watches: new Map(watches) });
  }

  /** As `AskReview`. @throws HookError also when a snapshot cannot be listed. Messages begin with the file of the hook. */
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

/** Every other error is a bug. */
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

/** Counts a run as those of queues are counted. */
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

/** The bindings of a hook whose objects its reviews show. */
export function shownBindings({ config }: Hook): readonly KubernetesBinding[] {
  const reviews = [...config.admission, ...config.conversions];
  const names = new Set(reviews.flatMap(({ includeSnapshotsFrom }) => includeSnapshotsFrom));
  return config.kubernetes.filter(({ name }) => names.has(name));
}

/** Snapshots are read when they are needed. */
const NO_LISTENER: BindingListener = { synced: () => {}, changed: () => {} };

/** Between two looks at a list that is under way: it may turn out to be impossible. */
const LOOK_MS = 100;

/** A first list is waited for, and a kind that is not served is not. */
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
