import type { DesiredChild, KubernetesObject, Resource } from 'chancery';
import { apiVersionOf, isDnsLabel } from 'chancery/internal';
import { type AnswerPart, shownName } from './answer-part.ts';

export interface DesiredObjectsOptions {
  /** The declared types. */
  readonly types: readonly Resource[];
  /** Whether an absent list is an empty one, which deletes all objects. */
  readonly mayBeAbsent: boolean;
}

/** Children of one parent. Each is compared with what there is at every sync. */
const MAX_CHILDREN = 10_000;

/** Children that are checked in one turn of the event loop. They take a few milliseconds. */
const SLICE = 500;

/**
 * `children` or `attachments`, checked as far as their type and name go. The objects are as the hook answered them.
 *
 * Yields before a turn of the event loop becomes long.
 *
 * @throws HookError `InvalidAnswer` for the first unusable one, and for more than 10,000.
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

/** The rule of the API server for the names of all kinds. Some kinds have stricter ones, which it knows. */
function isPathSegment(name: string): boolean {
  return name !== '.' && name !== '..' && !/[/%]/.test(name);
}

/** The engine adds the parent to the owners that an answer has. */
function requireOwners(owners: AnswerPart): void {
  if (owners.isAbsent) return;
  for (const owner of owners.items()) {
    for (const name of ['apiVersion', 'kind', 'name', 'uid']) owner.member(name).filledString();
  }
}

function kindKey(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}
