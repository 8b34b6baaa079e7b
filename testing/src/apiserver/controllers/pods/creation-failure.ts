import type { Condition } from 'chancery';
import { ApiError, isAlreadyExists, rfc3339 } from 'chancery/internal-objects';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { isNamespaceEnding } from '../runner/controller-runner.ts';
import type { Again } from '../runner/workload-controller.ts';

const REPLICA_FAILURE = 'ReplicaFailure';

/** Creates what a workload needs. If the server refuses it, an Event reports that, unless it is there already. */
export function createdOrTold<T>(
  record: RecordEvent,
  workload: StoredObject,
  create: () => T,
  textFor = (why: string): string => `Error creating: ${why}`,
): T {
  try {
    return create();
  } catch (error) {
    if (isWorthTelling(error) && !isAlreadyExists(error)) {
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

/** Deletes a Pod of a workload. If the server refuses that, an Event reports it. */
export function deletedOrTold(
  record: RecordEvent,
  workload: StoredObject,
  remove: () => void,
  textFor = (why: string): string => `Error deleting: ${why}`,
): void {
  try {
    remove();
  } catch (error) {
    if (isWorthTelling(error)) {
      const message = textFor(textOf(error));
      record(workload, { type: 'Warning', reason: 'FailedDelete', message });
    }
    throw error;
  }
}

/** What keeps a ReplicaSet from having the number of Pods that it shall have. */
export interface ReplicaFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly error: ApiError;
}

/**
 * The conditions of a ReplicaSet, with one that says why Pods cannot be made or deleted, for as long as
 * that is so. The first problem stays: its text may hold the name of a Pod, which is another each time.
 */
export function withFailure<C extends { readonly type: string }>(
  before: readonly C[],
  failure: ReplicaFailure | undefined,
  nowMs: number,
): readonly (C | Condition)[] {
  if (failure === undefined) return before.filter(({ type }) => type !== REPLICA_FAILURE);
  if (before.some(({ type }) => type === REPLICA_FAILURE)) return before;
  const { reason, error } = failure;
  const text = textOf(error);
  const problem = {
    type: REPLICA_FAILURE,
    status: 'True',
    lastTransitionTime: rfc3339(nowMs),
    reason,
    message: reason === 'FailedCreate' ? text : `unable to delete pods: ${text}`,
  };
  return [...before, problem as Condition];
}

/** True for a refusal, unless it only says that the namespace ends. */
export function isWorthTelling(error: unknown): error is ApiError {
  return error instanceof ApiError && !isNamespaceEnding(error);
}

/** The words of the server, without code and reason. */
export function textOf(error: ApiError): string {
  return error.statusWithValues().message ?? 'no message';
}
