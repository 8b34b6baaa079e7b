import { byAge, type CheckedDefinition, type CheckedVersion } from 'chancery/internal';
import { definitionChanges, surfaceChanges } from './definition-changes.ts';
import { isBelow, schemaNodes } from './schema.ts';
import { schemaChanges } from './schema-rules.ts';

/** A change of a definition that is not safe while objects of it exist. */
export interface CrdFinding {
  /** The name of the definition. */
  readonly definition: string;
  /** The version, or `v1alpha1 -> v1` for two that are served; undefined for the definition itself. */
  readonly version?: string;
  /** Of the field: `.spec.ports[].name`. Of the definition itself: `spec.scope`. */
  readonly path: string;
  /** The rule that the change breaks, such as `required`. */
  readonly rule: string;
  readonly message: string;
}

/** A finding, and what it is recognised by. */
interface Found extends CrdFinding {
  readonly keyword?: string;
  readonly key: string;
}

/**
 * The changes from `before` to `after` that can break stored objects, clients or controllers: those for which
 * operator-controller refuses an upgrade, and what it does not look at, such as subresources. Empty for a safe change.
 * Sorted as in the definition.
 *
 * @param before - as the cluster has it. Without a status its storage version counts as the stored one.
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
 * A client may read an object in one served version and write it in another. A webhook converts them;
 * without one the versions must agree, but for where they disagreed before.
 */
function servedVersionChanges(
  before: CheckedDefinition,
  after: CheckedDefinition,
): readonly Found[] {
  if (after.hasConversionWebhook) return [];
  const known = new Set(pairChanges(before).map(identityOf));
  return pairChanges(after).filter((each) => !known.has(identityOf(each)));
}

/** The differences of the served versions of one definition, each older version with each newer one. */
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

/** Keywords that contain schemas: what is wrong in them is told at the path below. */
const WITH_SCHEMAS: ReadonlySet<string | undefined> = new Set([
  'additionalProperties',
  'allOf',
  'anyOf',
  'not',
  'oneOf',
]);

/** Without findings that follow from another one: the parts of a removed field, and the parents of a change. */
function concise(found: readonly Found[]): readonly Found[] {
  const sameVersion = Map.groupBy(found, ({ version }) => version);
  return [...sameVersion.values()].flatMap((all) =>
    withoutParts(all).filter(
      ({ path, keyword }) =>
        !WITH_SCHEMAS.has(keyword) || !all.some((each) => isIn(each.path, path, keyword)),
    ),
  );
}

/** A parent stands before its parts, and they stand together. */
function withoutParts(found: readonly Found[]): readonly Found[] {
  let removed: string | undefined;
  return found.filter(({ rule, path }) => {
    if (rule !== 'existingFieldRemoval') return true;
    if (removed !== undefined && isBelow(path, removed)) return false;
    removed = path;
    return true;
  });
}

/** True when `path` is in a schema of this keyword at `parent`. */
function isIn(path: string, parent: string, keyword: string | undefined): boolean {
  return path.startsWith(`${parent}${keyword === 'additionalProperties' ? '{}' : `(${keyword}`}`);
}
