import { resourceName } from 'chancery';
import type { ChildWrites } from 'chancery/internal';
import {
  allOf,
  anyOf,
  byOperator,
  controllersIn,
  has,
  kindName,
  listOf,
  literal,
  OTHER_OWNERS,
  RESOURCE,
  rulesFor,
  type State,
  sameContent,
  sameFinalizersBut,
  sameMember,
} from './expressions.ts';
import { ownPartsOnly, partsOf } from './parents.ts';
import type { Policy } from './policy.ts';
import type { Operation, Written } from './written.ts';

const OPERATIONS: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE'];

/**
 * A resource whose objects are children. `alternatives` are the declared writes of these children.
 * `free` are the operations for which only a permission is declared, so they are not checked.
 */
interface Judged {
  readonly name: string;
  readonly alternatives: readonly ChildWrites[];
  readonly free: readonly Operation[];
}

/**
 * Refuses writes of children that are not controlled by a declared parent. Undefined when no
 * children are checked.
 */
export function children(written: Written): Policy | undefined {
  const byResource = Map.groupBy(written.children, ({ resource }) => resourceName(resource));
  const judged = [...byResource]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, alternatives]): Judged => ({ name, alternatives, free: freeOf(name, written) }))
    .filter(({ free }) => free.length < OPERATIONS.length);
  if (judged.length === 0) return undefined;
  return {
    rule: 'children',
    about: 'The operator writes objects of these kinds only while a declared parent controls them.',
    resourceRules: rulesFor(judged.flatMap(({ alternatives }) => alternatives.slice(0, 1))),
    matches: [byOperator(written)],
    variables: [
      RESOURCE,
      ...controllersIn('object', 'now'),
      ...controllersIn('oldObject', 'old'),
      ...OTHER_OWNERS,
      ONLY_OWNERS,
    ],
    validations: judged.map((each) => validationOf(each, written)),
    leftToRbac: judged.flatMap(({ name, free }) =>
      free.map((operation) => `${operation} ${name}: declared as a permission, for any object`),
    ),
  };
}

function freeOf(name: string, { free }: Written): readonly Operation[] {
  return OPERATIONS.filter((operation) => free.has(`${operation} ${name}`));
}

function validationOf(
  { name, alternatives, free }: Judged,
  written: Written,
): Policy['validations'][number] {
  const kinds = alternatives.flatMap(({ parents }) => parents.map(({ kind }) => kind));
  const parts = partsOf(name, written);
  const finalizers = written.parents
    .filter(({ resource }) => resourceName(resource) === name)
    .flatMap((part) => part.finalizers);
  return {
    expression: anyOf([
      `variables.resource != ${literal(name)}`,
      ...(free.length > 0 ? [`request.operation in ${listOf(free)}`] : []),
      ...alternatives.map((each) => isAllowed(each, finalizers)),
      // An object that one controller creates may be decorated by another controller.
      ...(parts.length > 0 ? [allOf(["request.operation == 'UPDATE'", ownPartsOnly(parts)])] : []),
    ]),
    message: `the operator writes ${name} only while ${[...new Set(kinds)].sort().join(' or ')} controls them`,
  };
}

/** A condition that holds when a write adds and removes no owner except the parent. */
const SAME_OTHERS = 'variables.nowOthers == variables.oldOthers';

/** A condition that holds when a write changes only owner references. */
const ONLY_OWNERS = {
  name: 'onlyOwners',
  expression: allOf([
    "request.operation == 'UPDATE'",
    sameContent(['metadata']),
    sameMember('labels', '{}'),
    sameMember('annotations', '{}'),
    sameMember('finalizers', '[]'),
  ]),
} as const;

/**
 * @param finalizers - the operator's finalizers on objects of this resource, which may also be
 * parents.
 */
function isAllowed(
  { parents, adopts, labels = {}, annotations = {} }: ChildWrites,
  finalizers: readonly string[],
): string {
  const kinds = listOf(parents.map(kindName));
  const ours = (prefix: string): string => `variables.${prefix}Kinds.exists(c, c in ${kinds})`;
  const isFree = (prefix: string): string => `size(variables.${prefix}Owners) == 0`;
  const marked = (state: State): readonly string[] => [
    ...Object.entries(labels).map(([key, value]) => has(state, 'labels', key, value)),
    ...Object.entries(annotations).map(([key, value]) => has(state, 'annotations', key, value)),
  ];
  const isSame = 'variables.nowOwners == variables.oldOwners';
  const marks = [...marked('object'), ...(adopts === undefined ? marked('oldObject') : [])];
  const kept = allOf([ours('old'), ours('now'), isSame, ...marks]);
  const taken = [isFree('old'), ours('now'), ...marked('object')];
  const changes = {
    none: [kept],
    whole: [kept, allOf(taken)],
    owners: [
      kept,
      allOf([...taken, 'variables.onlyOwners']),
      allOf([ours('old'), isFree('now'), 'variables.onlyOwners']),
    ],
  };
  return anyOf([
    allOf(["request.operation == 'CREATE'", ours('now'), SAME_OTHERS, ...marked('object')]),
    allOf([
      "request.operation == 'UPDATE'",
      anyOf(changes[adopts ?? 'none']),
      SAME_OTHERS,
      sameFinalizersBut(finalizers),
    ]),
    allOf(["request.operation == 'DELETE'", ours('old'), ...marked('oldObject')]),
  ]);
}
