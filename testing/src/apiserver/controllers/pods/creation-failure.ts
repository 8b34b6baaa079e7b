import type { Condition } from 'chancery';
import { ApiError, isAlreadyExists, rfc3339 } from 'chancery/internal-objects';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { RecordEvent } from '../events/event-recorder.ts';
import { isNamespaceEnding } from '../runner/controller-runner.ts';
import type { Again } from '../runner/workload-controller.ts';

const REPLICA_FAILURE = 'ReplicaFailure';

/**
 * Creates an object for a workload. If the server refuses the object, an Event reports this, unless the
 * object already exists.
 */
export function createdOrReported<T>(
  record: RecordEvent,
  workload: StoredObject,
  create: () => T,
  textFor = (why: string): string => `Error creating: ${why}`,
): T {
  try {
    return create();
  } catch (error) {
    if (isReportable(error) && !isAlreadyExists(error)) {
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
 * Creates and deletes the Pods of a workload, then reports the status of the workload, even if creating or
 * deleting a Pod failed.
 *
 * @param report - writes the status.
 * @returns milliseconds until the status changes by itself.
 */
export function workAndReport(
  work: () => 'more' | undefined,
  report: (failure: ApiError | undefined) => number | undefined,
): Again {
  let again: 'more' | undefined;
  try {
    again = work();
  } catch (error) {
    if (isReportable(error)) report(error);
    throw error;
  }
  const inMs = report(undefined);
  return again ?? inMs;
}

/** Deletes a Pod of a workload. If the server refuses, an Event reports the refusal. */
export function deletedOrReported(
  record: RecordEvent,
  workload: StoredObject,
  remove: () => void,
  textFor = (why: string): string => `Error deleting: ${why}`,
): void {
  try {
    remove();
  } catch (error) {
    if (isReportable(error)) {
      const message = textFor(textOf(error));
      record(workload, { type: 'Warning', reason: 'FailedDelete', message });
    }
    throw error;
  }
}

/** The reason why a ReplicaSet does not have the desired number of Pods. */
export interface ReplicaFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly error: ApiError;
}

/**
 * The conditions of a ReplicaSet. While Pods cannot be created or deleted, one condition reports
 * why. The first message is kept, because later messages only differ in the generated name of a
 * Pod.
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

/** True for a refusal, unless its only cause is a terminating namespace. */
export function isReportable(error: unknown): error is ApiError {
  return error instanceof ApiError && !isNamespaceEnding(error);
}

/** The server's message, without code and reason. */
export function textOf(error: ApiError): string {
  return error.statusWithValues().message ?? 'no message';
}
