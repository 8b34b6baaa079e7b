import type { KubernetesObject } from '../../model/object.ts';
import type { ChildType, StatusCheck } from '../engine-options.ts';

/**
 * Why a rolling update has to wait for an updated child; undefined when it can go on. A child that is changed in place
 * may still show the status of its former spec: it must have observed its generation, if its status has one.
 */
export function waitsFor(
  child: KubernetesObject,
  { update, statusChecks }: Pick<ChildType, 'update' | 'statusChecks'>,
): string | undefined {
  const { observedGeneration, conditions } = statusOf(child);
  const isBehind =
    typeof observedGeneration === 'number' &&
    observedGeneration > 0 &&
    observedGeneration < (child.metadata.generation ?? 0);
  if (update === 'rolling-apply' && isBehind) return 'has not observed its latest generation';
  for (const check of statusChecks) {
    const failure = failureOf(check, conditions);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

interface Status {
  readonly observedGeneration?: unknown;
  readonly conditions: readonly unknown[];
}

function statusOf(child: KubernetesObject): Status {
  const { status } = child as { readonly status?: unknown };
  const { observedGeneration, conditions } = (status ?? {}) as Partial<Record<string, unknown>>;
  return { observedGeneration, conditions: Array.isArray(conditions) ? conditions : [] };
}

function failureOf(check: StatusCheck, conditions: readonly unknown[]): string | undefined {
  const found = conditions.find(
    (each): each is Partial<Record<'status' | 'reason', unknown>> =>
      typeof each === 'object' && each !== null && 'type' in each && each.type === check.type,
  );
  if (found === undefined) return `has no condition ${check.type}`;
  for (const part of ['status', 'reason'] as const) {
    const wanted = check[part];
    const actual = typeof found[part] === 'string' ? found[part] : '';
    if (wanted !== undefined && actual !== wanted) {
      return `has ${part} "${actual}" in condition ${check.type}, not "${wanted}"`;
    }
  }
  return undefined;
}
