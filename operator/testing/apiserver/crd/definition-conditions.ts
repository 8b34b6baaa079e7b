import { type Condition, rfc3339, setCondition } from '../../../model/condition.ts';
import type { StoredObject } from '../cluster-access.ts';
import { isObject, withFields } from '../objects/metadata.ts';
import { specOf } from './definition.ts';

/** Holds a definition until its objects are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** A definition whose deletion has begun. */
export function terminatingDefinition(definition: StoredObject, nowMs: number): StoredObject {
  const { finalizers = [] } = definition.metadata;
  const held = finalizers.includes(CLEANUP_FINALIZER)
    ? finalizers
    : [...finalizers, CLEANUP_FINALIZER];
  const metadata = { ...definition.metadata, finalizers: held, deletionTimestamp: rfc3339(nowMs) };
  return withCondition({ ...definition, metadata }, TERMINATING, nowMs);
}

export const NAMES_ACCEPTED = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'NoConflicts',
  message: 'no conflicts found',
} as const;

export const ESTABLISHED = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
} as const;

const TERMINATING = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
} as const;

/** A definition with one condition of its status set. */
export function withCondition(
  definition: StoredObject,
  condition: Omit<Condition, 'lastTransitionTime'>,
  nowMs: number,
): StoredObject {
  const status = isObject(definition.status) ? definition.status : {};
  const before = Array.isArray(status.conditions) ? (status.conditions as Condition[]) : [];
  const conditions = setCondition(before, condition, nowMs).map(ordered);
  const acceptedNames = specOf(definition).names;
  return withFields(definition, { status: { ...status, conditions, acceptedNames } });
}

function ordered({ type, status, lastTransitionTime, reason, message }: Condition): Condition {
  return { type, status, lastTransitionTime, reason, message };
}
