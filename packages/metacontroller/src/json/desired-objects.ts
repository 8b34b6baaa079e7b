import type { DesiredChild, KubernetesObject, Resource } from 'chancery';
import { apiVersionOf, isDnsLabel } from 'chancery/internal';
import { type AnswerPart, shownName } from './answer-part.ts';

export interface DesiredObjectsOptions {
  /** The declared types of children or attachments. */
  readonly types: readonly Resource[];
  /** True when a missing list counts as an empty list, which deletes all objects. */
  readonly mayBeAbsent: boolean;
}

/** Maximum number of children of one parent. Each sync compares every child. */
const MAX_CHILDREN = 10_000;

/**
 * Number of children that are checked in one turn of the event loop. Checking them takes a few
 * milliseconds.
 */
const SLICE = 500;

/**
 * The items of `children` or `attachments`. Their types and names are checked. The objects are
 * unchanged.
 *
 * Yields before a turn of the event loop becomes long.
 *
 * @throws HookError `InvalidAnswer` for the first unusable item, and for more than 10,000 items.
 */
export function* desiredObjects(
  list: AnswerPart,
  { types, mayBeAbsent }: DesiredObjectsOptions,
): Generator<void, readonly DesiredChild[], undefined> {
  if (list.isAbsent && mayBeAbsent) return [];
  const resources = new Map(types.map((type) => [kindKey(apiVersionOf(type), type.kind), type]));
  const items = list.items();
  if (items.length > MAX_CHILDREN) list.fail(`has more than ${MAX_CHILDREN} items`);
  const children: DesiredChild[] = [];
  for (const item of items) {
    children.push(desiredObject(item, resources));
    if (children.length % SLICE === 0) yield;
  }
  return children;
}

function desiredObject(item: AnswerPart, types: ReadonlyMap<string, Resource>): DesiredChild {
  const kind = item.member('kind').filledString();
  const apiVersion = item.member('apiVersion').filledString();
  const metadata = item.member('metadata');
  if (metadata.isAbsent) metadata.fail('is missing');
  const name = metadata.member('name');
  if (name.isAbsent && !metadata.member('generateName').isAbsent) {
    name.fail('is missing: generateName cannot name an object that is to be found again');
  }
  if (!isPathSegment(name.filledString())) name.fail('is no name that an object can have');
  const namespace = metadata.member('namespace');
  const place = namespace.optionalString();
  if (place !== undefined && !isDnsLabel(place)) namespace.fail('is no name of a namespace');
  metadata.member('labels').stringMap();
  metadata.member('annotations').stringMap();
  requireOwners(metadata.member('ownerReferences'));
  const resource = types.get(kindKey(apiVersion, kind));
  if (resource === undefined) {
    return item.fail(
      `is a ${shownName(kind)} of ${shownName(apiVersion)}, a type that the controller does not declare`,
    );
  }
  return { resource, object: item.value as KubernetesObject };
}

/**
 * True for a name that is valid for every kind. Some kinds have stricter rules, which the API
 * server checks.
 */
function isPathSegment(name: string): boolean {
  return name !== '.' && name !== '..' && !/[/%]/.test(name);
}

/** Checks the owner references of an answer. The engine adds the parent to them. */
function requireOwners(owners: AnswerPart): void {
  if (owners.isAbsent) return;
  for (const owner of owners.items()) {
    for (const name of ['apiVersion', 'kind', 'name', 'uid']) owner.member(name).filledString();
  }
}

function kindKey(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}
