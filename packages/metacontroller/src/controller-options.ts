import { ConfigurationError, type ControllerOptions, type KubernetesObject } from 'chancery';
import type { ConfiguredHooks, SharedParts } from './controller-parts.ts';
import type { HookFunction } from './hook-function.ts';
import type { ControllerSpec } from './spec.ts';

/**
 * Time that a reconcile gets for reading and writing objects, in addition to the time for calling
 * hooks. It equals the default time limit of controllers.
 */
const WITHOUT_HOOKS_MS = 5 * 60_000;

/** The longest pause between retries for controllers without a period. */
const LONGEST_BACKOFF_MS = 1_000_000;

/** The shortest period. Shorter periods are extended to this one, as in Metacontroller. */
const LEAST_RESYNC_MS = 1_000;

/** The options of a controller that depend only on its object. */
export function controllerOptions(
  { hooks, resyncPeriodMs }: ControllerSpec,
  shared: SharedParts,
): Partial<ControllerOptions<KubernetesObject>> {
  const timeouts = Object.values(hooks).map(({ webhook }) => webhook?.timeoutMs ?? 0);
  return {
    consistency: 'wait',
    maxConcurrentReconciles: shared.workers,
    resyncPeriodMs: 0, // each parent has its own period, see `withPeriod`
    // The period also applies while the hook fails.
    ...(resyncPeriodMs !== undefined && {
      queue: {
        backoff: { maxMs: Math.min(Math.max(resyncPeriodMs, LEAST_RESYNC_MS), LONGEST_BACKOFF_MS) },
      },
    }),
    reconcileTimeoutMs: WITHOUT_HOOKS_MS + timeouts.reduce((sum, ms) => sum + ms, 0),
  };
}

/**
 * The next call may come earlier by up to this share of the period, so that the calls for many
 * parents do not come at the same time.
 */
const JITTER = 0.1;

/**
 * `answer` with a `resyncAfterMs` of at most one period, so that the hook is called periodically. A
 * resync of the whole cache would reconcile all parents at once.
 */
export function withPeriod<A extends { readonly resyncAfterMs?: number | undefined }>(
  answer: A,
  { resyncPeriodMs }: ControllerSpec,
  shared: SharedParts,
): A {
  const periodMs =
    resyncPeriodMs === undefined
      ? shared.resyncPeriodMs
      : Math.max(resyncPeriodMs, LEAST_RESYNC_MS);
  const { resyncAfterMs = 0 } = answer;
  if (periodMs === 0 || resyncAfterMs < 0) return answer; // values below 0 are refused later
  const spreadMs = periodMs * (1 - JITTER * Math.random());
  const nextMs = resyncAfterMs > 0 ? Math.min(resyncAfterMs, spreadMs) : spreadMs;
  return { ...answer, resyncAfterMs: nextMs };
}

/**
 * The sync hook of a controller.
 *
 * @throws ConfigurationError `CONFIG` when the controller has no sync hook, because every reconcile
 * would fail.
 */
export function requiredSync(
  { kind, name }: ControllerSpec,
  { sync }: ConfiguredHooks,
): HookFunction {
  if (sync !== undefined) return sync;
  throw new ConfigurationError(`${kind} ${name} has no sync hook`, { context: { kind, name } });
}

/** True when a hook gets `managedFields`. Otherwise, caches drop the field. */
export function showsManagedFields(
  hooks: ConfiguredHooks,
  { managedFields }: SharedParts,
): boolean {
  return managedFields && Object.values(hooks).some(({ mode }) => mode === 'webhook');
}
