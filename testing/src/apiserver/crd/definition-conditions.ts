import type { Condition } from 'chancery';
import { rfc3339, setCondition } from 'chancery/internal-objects';
import { isObject, withFields } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';

/** The finalizer that keeps a definition until its objects are removed. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** The definition, marked as being deleted. */
export function terminatingDefinition(definition: StoredObject, nowMs: number): StoredObject {
  const { finalizers = [] } = definition.metadata;
  const held = finalizers.includes(CLEANUP_FINALIZER)
    ? finalizers
    : [...finalizers, CLEANUP_FINALIZER];
  const metadata = { ...definition.metadata, finalizers: held, deletionTimestamp: rfc3339(nowMs) };
  return withConditions({ ...definition, metadata }, [TERMINATING], nowMs);
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

export const DELETING_INSTANCES = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
} as const;

/** The definition with these conditions set in its status. */
export function withConditions(
  definition: StoredObject,
  wanted: readonly Omit<Condition, 'lastTransitionTime'>[],
  nowMs: number,
): StoredObject {
  const status = isObject(definition.status) ? definition.status : {};
  const conditions = wanted.reduce(
    (before, condition) => setCondition(before, condition, nowMs),
    conditionsOf(definition),
  );
  return withFields(definition, { status: { ...status, conditions: conditions.map(ordered) } });
}

export function conditionOf(definition: StoredObject, type: string): Condition | undefined {
  return conditionsOf(definition).find((condition) => condition.type === type);
}

export function isTrue(definition: StoredObject | undefined, type: string): boolean {
  return definition !== undefined && conditionOf(definition, type)?.status === 'True';
}

function conditionsOf({ status }: StoredObject): readonly Condition[] {
  if (!isObject(status) || !Array.isArray(status.conditions)) return [];
  return status.conditions as Condition[];
}

function ordered({ type, status, lastTransitionTime, reason, message }: Condition): Condition {
  return { type, status, lastTransitionTime, reason, message };
}
