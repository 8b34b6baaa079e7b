import type { FieldComparison } from '../fields/field-comparison.ts';
import {
  differenceOf,
  type FieldSet,
  fieldSetOf,
  intersectionOf,
  isEmptyFieldSet,
  unionOf,
} from '../fields/field-set.ts';
import { fieldElement } from '../fields/path-element.ts';
import { applyConflict } from './apply-conflict.ts';
import { type Owners, withoutEmpty } from './managers.ts';

const SYSTEM_METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
];

/** What nobody owns: the identity of an object, and what only the server writes. */
const UNOWNED: FieldSet = fieldSetOf([
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...SYSTEM_METADATA.map((name) => ['f:metadata', fieldElement(name)]),
]);

/** The fields that can have an owner. */
export function ownable(fields: FieldSet): FieldSet {
  return differenceOf(fields, UNOWNED);
}

/**
 * What the other owners keep after a write: neither what it changed nor what it removed.
 *
 * @param writer - the identity that the write keeps its hands off.
 * @param mayTake - what the write may take from its owner.
 * @throws ApiError 409 when somebody else owns a field that the write changed and may not take.
 */
export function takeOver(
  owners: Owners,
  writer: string | undefined,
  { added, modified, removed }: FieldComparison,
  mayTake: FieldSet | 'everything',
): Owners {
  const changed = unionOf(added, modified);
  const others = [...owners].filter(([identity]) => identity !== writer);
  if (mayTake !== 'everything') {
    const kept = differenceOf(changed, mayTake);
    const conflicts = others
      .map(([, owner]) => ({ owner, fields: intersectionOf(owner.fields, kept) }))
      .filter(({ fields }) => !isEmptyFieldSet(fields));
    if (conflicts.length > 0) throw applyConflict(conflicts);
  }
  const lost = unionOf(changed, removed);
  const left = new Map(owners);
  for (const [identity, owner] of others) {
    left.set(identity, { ...owner, fields: differenceOf(owner.fields, lost) });
  }
  if (writer !== undefined) {
    const own = owners.get(writer);
    if (own !== undefined) left.set(writer, own);
  }
  return withoutEmpty(left);
}
