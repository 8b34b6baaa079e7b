import type { ControllerOptions } from '../controller/controller.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { ConfiguredHooks, SharedParts } from './controller-parts.ts';
import type { HookFunction } from './hook-function.ts';
import type { ControllerSpec } from './spec.ts';

/** What reading and writing objects may take besides the calls of hooks. The default of a controller. */
const WITHOUT_HOOKS_MS = 5 * 60_000;

/** The original treats a shorter period as this one. */
const LEAST_RESYNC_MS = 1_000;

/** Options of controllers that follow from the object alone. */
export function controllerOptions(
  { resyncPeriodMs, hooks }: ControllerSpec,
  shared: SharedParts,
): Partial<ControllerOptions<KubernetesObject>> {
  const timeouts = Object.values(hooks).map(({ webhook }) => webhook?.timeoutMs ?? 0);
  return {
    consistency: 'wait',
    maxConcurrentReconciles: shared.workers,
    resyncPeriodMs:
      resyncPeriodMs === undefined
        ? shared.resyncPeriodMs
        : Math.max(resyncPeriodMs, LEAST_RESYNC_MS),
    reconcileTimeoutMs: WITHOUT_HOOKS_MS + timeouts.reduce((sum, ms) => sum + ms, 0),
  };
}

/** @throws ConfigurationError `CONFIG` when the controller has no sync hook: it would fail for each parent. */
export function requiredSync({ kind, name }: ControllerSpec, { sync }: ConfiguredHooks): HookFunction {
  if (sync !== undefined) return sync;
  throw new ConfigurationError(`${kind} ${name} has no sync hook`, { context: { kind, name } });
}

/** True when a hook gets `managedFields`: only then caches keep them. */
export function showsManagedFields(hooks: ConfiguredHooks, { managedFields }: SharedParts): boolean {
  return managedFields && Object.values(hooks).some(({ mode }) => mode === 'webhook');
}
