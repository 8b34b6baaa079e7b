import { byAge, type CheckedDefinition, type CheckedVersion } from 'chancery/internal';
import { definitionChanges, surfaceChanges } from './definition-changes.ts';
import { isBelow, schemaNodes } from './schema.ts';
import { schemaChanges } from './schema-rules.ts';

/** A change of a definition that is not safe while objects of that definition exist. */
export interface CrdFinding {
  /** The name of the definition. */
  readonly definition: string;
  /**
   * The version, or `v1alpha1 -> v1` for two served versions. Undefined for a change of the
   * definition itself.
   */
  readonly version?: string;
  /**
   * The path of a field, such as `.spec.ports[].name`, or of a field of the definition, such as
   * `spec.scope`.
   */
  readonly path: string;
  /** The rule that the change breaks, such as `required`. */
  readonly rule: string;
  readonly message: string;
}

/** A finding, and the key that identifies it. */
interface Found extends CrdFinding {
  readonly keyword?: string;
  readonly key: string;
}

/**
 * The changes from `before` to `after` that can break stored objects, clients or controllers. These
 * are the changes for which operator-controller refuses an upgrade, and changes that
 * operator-controller does not check, such as changes of subresources. Empty for a safe change. The
 * order is the same as in the definition.
 *
 * @param before - the definition in the cluster. Without a status, its storage version counts as
 * the stored version.
 */
export function crdChanges(
  before: CheckedDefinition,
  after: CheckedDefinition,
): readonly CrdFinding[] {
  const definition = after.name;
  const found = [
    ...changesAround(before, after),
    ...sameVersionChanges(before, after),
    ...servedVersionChanges(before, after),
  ];
  return concise(found).map(({ version, path, rule, message }) => ({
    definition,
    ...(version === undefined ? {} : { version }),
    path,
    rule,
    message,
  }));
}

function changesAround(before: CheckedDefinition, after: CheckedDefinition): readonly Found[] {
  return definitionChanges(before, after).map((change) => ({
    ...{ definition: after.name, key: change.message },
    ...change,
  }));
}

function sameVersionChanges(before: CheckedDefinition, after: CheckedDefinition): readonly Found[] {
  return before.versions.flatMap((old) => {
    const now = after.versions.find(({ name }) => name === old.name);
    if (now === undefined) return [];
    const around = surfaceChanges(old, now).map((change) => ({
      ...{ definition: after.name, version: old.name, key: change.message },
      ...change,
    }));
    return [...around, ...versionChanges(after.name, old.name, old, now)];
  });
}

/**
 * The changes between served versions. A client may read an object in one served version and write
 * it in another. So without a conversion webhook, a difference between two served versions is
 * reported, unless the previous definition already had the same difference.
 */
function servedVersionChanges(
  before: CheckedDefinition,
  after: CheckedDefinition,
): readonly Found[] {
  if (after.hasConversionWebhook) return [];
  const known = new Set(pairChanges(before).map(identityOf));
  return pairChanges(after).filter((each) => !known.has(identityOf(each)));
}

/**
 * The differences between the served versions of one definition. Each older version is compared
 * with each newer version.
 */
function pairChanges({ name, versions }: CheckedDefinition): readonly Found[] {
  const served = versions.filter((each) => each.served).sort((a, b) => byAge(a.name, b.name));
  return served.flatMap((old, at) =>
    served
      .slice(at + 1)
      .flatMap((now) => versionChanges(name, `${old.name} -> ${now.name}`, old, now)),
  );
}

function identityOf({ version, path, key }: Found): string {
  return JSON.stringify([version, path, key]);
}

function versionChanges(
  definition: string,
  version: string,
  before: CheckedVersion,
  after: CheckedVersion,
): readonly Found[] {
  const now = schemaNodes(after.schema);
  return [...schemaNodes(before.schema)].flatMap(([path, schema]): readonly Found[] => {
    const found = { definition, version, path };
    const newSchema = now.get(path);
    if (newSchema !== undefined) {
      return schemaChanges(schema, newSchema).map((change) => ({ ...found, ...change }));
    }
    const message =
      before.name === after.name
        ? 'the field is removed'
        : `${after.name} does not have the field, and ${before.name} has it`;
    return [{ ...found, rule: 'existingFieldRemoval', message, key: 'removed' }];
  });
}

/** Keywords that contain schemas. Changes in these schemas are reported at their own paths. */
const WITH_SCHEMAS: ReadonlySet<string | undefined> = new Set([
  'additionalProperties',
  'allOf',
  'anyOf',
  'not',
  'oneOf',
]);

/**
 * Drops findings that follow from another finding: on the subfields of a removed field, and on the
 * parents of a change.
 */
function concise(found: readonly Found[]): readonly Found[] {
  const sameVersion = Map.groupBy(found, ({ version }) => version);
  return [...sameVersion.values()].flatMap((all) =>
    withoutParts(all).filter(
      ({ path, keyword }) =>
        !WITH_SCHEMAS.has(keyword) || !all.some((each) => isIn(each.path, path, keyword)),
    ),
  );
}

/**
 * Drops the findings on subfields of removed fields. In `found`, a field comes directly before its
 * subfields.
 */
function withoutParts(found: readonly Found[]): readonly Found[] {
  let removed: string | undefined;
  return found.filter(({ rule, path }) => {
    if (rule !== 'existingFieldRemoval') return true;
    if (removed !== undefined && isBelow(path, removed)) return false;
    removed = path;
    return true;
  });
}

/** True when `path` is in a schema under this keyword at `parent`. */
function isIn(path: string, parent: string, keyword: string | undefined): boolean {
  return path.startsWith(`${parent}${keyword === 'additionalProperties' ? '{}' : `(${keyword}`}`);
}
