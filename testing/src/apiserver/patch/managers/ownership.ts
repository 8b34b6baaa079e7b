import { ApiError } from 'chancery/internal-objects';
import type { FieldComparison } from '../fields/field-comparison.ts';
import { type FieldSchema, isAssociative, schemaBelow } from '../fields/field-schema.ts';
import {
  differenceOf,
  type FieldSet,
  fieldSetOf,
  intersectionOf,
  isEmptyFieldSet,
  pathsOf,
  unionOf,
} from '../fields/field-set.ts';
import { describePath, fieldElement } from '../fields/path-element.ts';
import { type Owner, type Owners, withoutEmpty } from './managers.ts';

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

/**
 * Fields that never have an owner: fields that identify an object, and fields that only the server writes.
 */
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
 * The owners after a change of the schema. If a value has become atomic, the owners of its fields and items
 * now own the whole value. If an atomic value has become granular, its owners stay the same, as on a real
 * server.
 */
export function ownersInSchema(owners: Owners, schema: FieldSchema): Owners {
  return new Map(
    [...owners].map(([identity, owner]) => [
      identity,
      { ...owner, fields: fieldsInSchema(owner.fields, schema) },
    ]),
  );
}

/**
 * The owned fields of one manager after the change of the schema. If nothing changes, returns the same set
 * object.
 */
function fieldsInSchema(set: FieldSet, schema: FieldSchema): FieldSet {
  const members = new Set(set.members);
  const children = new Map<string, FieldSet>();
  let isSame = true;
  for (const [element, child] of set.children) {
    const below = schemaBelow(schema, element);
    const isWhole = below.atomic || (below.list && !isAssociative(below));
    const left = isWhole ? undefined : fieldsInSchema(child, below);
    if (left === undefined) members.add(element);
    else children.set(element, left);
    isSame &&= left === child;
  }
  return isSame ? set : { members, children };
}

/**
 * The owners after a write. Managers other than the writer lose the fields that the write changed or removed.
 *
 * @param writer - the identity of the writer. The fields that it owns do not change here.
 * @param mayTake - the fields that the write may take from their owners.
 * @throws ApiError 409 when the write changed a field that another manager owns and that it may not take.
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

/** Fields that an apply would change although another manager owns them. */
interface OwnershipConflict {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

/** The server's error 409, with one cause per field. */
function applyConflict(conflicts: readonly OwnershipConflict[]): ApiError {
  const byManager = conflicts
    .map(({ owner, fields }) => ({
      manager: describeOwner(owner),
      fields: pathsOf(fields).map(describePath),
    }))
    .toSorted((left, right) => (left.manager < right.manager ? -1 : 1));
  const causes = byManager.flatMap(({ manager, fields }) =>
    fields.map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${manager}`,
      field,
    })),
  );
  const [only] = causes;
  const message =
    causes.length === 1 && only !== undefined
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${byManager.map(listed).join('\n')}`;
  return new ApiError({
    status: 'Failure',
    message,
    reason: 'Conflict',
    details: { causes },
    code: 409,
  });
}

function listed({ manager, fields }: { manager: string; fields: readonly string[] }): string {
  return [`conflicts with ${manager}:`, ...fields.map((field) => `- ${field}`)].join('\n');
}

function describeOwner({ manager, operation, apiVersion, subresource }: Owner): string {
  const within = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(manager)}${within}${using}`;
}
