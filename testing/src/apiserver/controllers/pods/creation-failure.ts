import { ApiError, type Condition, rfc3339 } from 'chancery';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { isNamespaceEnding } from '../runner/controller-runner.ts';
import type { Again } from '../runner/workload-controller.ts';

const REPLICA_FAILURE = 'ReplicaFailure';

/** Creates a Pod of a workload. If the server refuses the Pod, an Event reports it. */
export function createdOrTold<T>(
  record: RecordEvent,
  workload: StoredObject,
  create: () => T,
  textFor = (why: string): string => `Error creating: ${why}`,
): T {
  try {
    return create();
  } catch (error) {
    if (isWorthTelling(error)) {
      record(workload, {
        type: 'Warning',
        reason: 'FailedCreate',
        message: textFor(textOf(error)),
      });
    }
    throw error;
  }
}

/**
 * Makes and deletes the Pods of a workload, and reports its status then, also when that has failed.
 *
 * @param report - writes the status. @returns milliseconds until it changes by itself.
 */
export function workAndReport(
  work: () => 'more' | undefined,
  report: (failure: ApiError | undefined) => number | undefined,
): Again {
  let again: 'more' | undefined;
  try {
    again = work();
  } catch (error) {
    if (isWorthTelling(error)) report(error);
    throw error;
  }
  const inMs = report(undefined);
  return again ?? inMs;
}

/** The conditions of a workload, with one that says why Pods cannot be made, for as long as that is so. */
export function withFailure<
  C extends { readonly type: string; readonly lastTransitionTime?: string },
>(before: readonly C[], failure: ApiError | undefined, nowMs: number): readonly (C | Condition)[] {
  const others = before.filter(({ type }) => type !== REPLICA_FAILURE);
  if (failure === undefined) return others;
  const known = before.find(({ type }) => type === REPLICA_FAILURE);
  const lastTransitionTime = known?.lastTransitionTime ?? rfc3339(nowMs);
  const problem = {
    type: REPLICA_FAILURE,
    status: 'True',
    lastTransitionTime,
    reason: 'FailedCreate',
    message: textOf(failure),
  };
  return [...others, problem as Condition];
}

function isWorthTelling(error: unknown): error is ApiError {
  return error instanceof ApiError && !isNamespaceEnding(error);
}

/** The words of the server, without code and reason. */
function textOf(error: ApiError): string {
  return error.statusWithValues().message ?? 'no message';
}
