import {
  API_APPROVED,
  approvalOf,
  invalid,
  needsApproval,
  required,
} from 'chancery/internal-objects';
import type { FieldError } from '../../failures/invalid.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { DefinitionSpec } from '../definition.ts';

const FIELD = `metadata.annotations[${API_APPROVED}]`;
const RULE = `protected groups must have approval annotation ${JSON.stringify(API_APPROVED)}`;
const MORE = 'see https://github.com/kubernetes/enhancements/pull/1111';

/**
 * The problems of a definition in a group of the Kubernetes project. Such a definition must have an
 * annotation with the URL of its approval, or with the statement that it has none. If an existing definition
 * already has this problem, other changes of it are accepted.
 */
export function approvalProblems(
  definition: StoredObject,
  previous: StoredObject | undefined,
): readonly FieldError[] {
  const { group } = definition.spec as Partial<DefinitionSpec>;
  if (!needsApproval(group ?? '')) return [];
  const value = definition.metadata.annotations?.[API_APPROVED];
  const approval = approvalOf(value);
  const before = previous && approvalOf(previous.metadata.annotations?.[API_APPROVED]);
  if (approval === before) return [];
  if (approval === 'missing') return [required(FIELD, `${RULE}, ${MORE}`)];
  if (approval !== 'invalid') return [];
  const how = 'with either a URL or a reason starting with "unapproved"';
  return [invalid(FIELD, value, `${RULE} ${how}, ${MORE}`)];
}
