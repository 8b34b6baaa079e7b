import { boundedText, type CheckedDefinition, type CheckedVersion } from 'chancery/internal';
import { canonicalJson } from './schema.ts';

/** A change of a CustomResourceDefinition that is not a change of its schemas. */
export interface DefinitionChange {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

/** The unsafe changes of fields that all versions share. */
export function definitionChanges(
  before: CheckedDefinition,
  after: CheckedDefinition,
): readonly DefinitionChange[] {
  return [
    ...changed('spec.scope', 'scope', before.scope, after.scope),
    ...kindChanges(before, after),
    ...removed('spec.names.shortNames', 'shortNames', before.shortNames, after.shortNames),
    ...removed('spec.names.categories', 'categories', before.categories, after.categories),
    ...changed(
      'spec.preserveUnknownFields',
      'preserveUnknownFields',
      before.preservesUnknownFields,
      after.preservesUnknownFields,
    ),
    ...conversionChanges(before, after),
    ...removedVersions(before, after),
  ];
}

/**
 * The changes of names. When the kind changes, changes of the other names are not reported, because
 * they follow from the kind.
 */
function kindChanges(
  before: CheckedDefinition,
  after: CheckedDefinition,
): readonly DefinitionChange[] {
  const kind = changed('spec.names.kind', 'kind', before.kind, after.kind);
  if (kind.length > 0) return kind;
  return (['listKind', 'singular'] as const).flatMap((name) =>
    changed(`spec.names.${name}`, name, before[name], after[name]),
  );
}

/**
 * The changes of the conversion. If the old definition has only one version, objects are never
 * converted. So adding a conversion webhook is safe.
 */
function conversionChanges(
  before: CheckedDefinition,
  after: CheckedDefinition,
): readonly DefinitionChange[] {
  if (before.versions.length < 2) return [];
  return changed('spec.conversion', 'conversion', before.conversion, after.conversion);
}

function removedVersions(
  before: CheckedDefinition,
  after: CheckedDefinition,
): readonly DefinitionChange[] {
  const names = new Set(after.versions.map(({ name }) => name));
  const served = new Set(after.versions.filter((each) => each.served).map(({ name }) => name));
  const stored = before.storedVersions.filter((name) => !names.has(name));
  const unserved = before.versions.filter(
    (each) => each.served && !served.has(each.name) && !stored.includes(each.name),
  );
  return [
    ...stored.map((name) => ({
      ...{ path: 'spec.versions', rule: 'storedVersionRemoval' },
      message: `${name} is removed, and objects are stored in it`,
    })),
    ...unserved.map(({ name }) => ({
      ...{ path: 'spec.versions', rule: 'servedVersionRemoval' },
      message: `${name} is no longer served`,
    })),
  ];
}

/**
 * The unsafe changes of a version outside its schema. Printer columns may change, because only
 * people read them. A version may become deprecated.
 */
export function surfaceChanges(
  before: CheckedVersion,
  after: CheckedVersion,
): readonly DefinitionChange[] {
  return [
    ...statusChanges(before, after),
    ...scaleChanges(before, after),
    ...removed(
      'selectableFields',
      'selectableFields',
      before.selectableFields,
      after.selectableFields,
    ),
  ];
}

function statusChanges(
  { hasStatus: had }: CheckedVersion,
  { hasStatus: has }: CheckedVersion,
): readonly DefinitionChange[] {
  if (had === has) return [];
  const message = had
    ? 'the subresource is removed: clients that write the status find none'
    : 'the subresource is new: a client that writes the whole object no longer changes its status';
  return [{ path: 'subresources.status', rule: 'subresources', message }];
}

function scaleChanges(
  { scale: before }: CheckedVersion,
  { scale: after }: CheckedVersion,
): readonly DefinitionChange[] {
  if (before === undefined) return [];
  const path = 'subresources.scale';
  if (after === undefined) {
    return [{ path, rule: 'subresources', message: 'the subresource is removed' }];
  }
  return Object.entries(before).flatMap(([field, old]) =>
    changed(`${path}.${field}`, 'subresources', old, after[field]),
  );
}

function changed(
  path: string,
  rule: string,
  before: unknown,
  after: unknown,
): readonly DefinitionChange[] {
  const [old, now] = [canonicalJson(before), canonicalJson(after)];
  return old === now ? [] : [{ path, rule, message: bounded(`changed from ${old} to ${now}`) }];
}

function removed(
  path: string,
  rule: string,
  before: readonly string[],
  after: readonly string[],
): readonly DefinitionChange[] {
  const gone = before.filter((each) => !after.includes(each)).map((each) => JSON.stringify(each));
  return gone.length === 0 ? [] : [{ path, rule, message: bounded(`removed: ${gone.join(', ')}`) }];
}

/** Maximum number of characters in a message. */
const MESSAGE_CHARS = 1_200;

function bounded(message: string): string {
  return boundedText(message, MESSAGE_CHARS);
}
