import { rfc3339 } from 'chancery/internal-objects';
import { isObject, type Json, valueAt, withFields } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';

/**
 * A CertificateSigningRequest after a change. The fields that describe the request stay unchanged, and each
 * new condition gets its times (Go: PrepareForUpdate and populateConditionTimestamps of
 * pkg/registry/certificates).
 */
export function changedRequest(
  object: StoredObject,
  previous: StoredObject,
  nowMs: number,
): StoredObject {
  const whole = withFields(object, { spec: previous.spec });
  const conditions = conditionsOf(whole);
  if (conditions.length === 0) return whole;
  const now = rfc3339(nowMs);
  const before = conditionsOf(previous);
  const timed = conditions.map((condition) => ({
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime:
      condition.lastTransitionTime ??
      before.find(({ type, status }) => type === condition.type && status === condition.status)
        ?.lastTransitionTime ??
      now,
  }));
  return withFields(whole, { status: { ...(whole.status as Json), conditions: timed } });
}

function conditionsOf(request: StoredObject): readonly Json[] {
  const conditions = valueAt(request, ['status', 'conditions']);
  return Array.isArray(conditions) ? conditions.filter(isObject) : [];
}
