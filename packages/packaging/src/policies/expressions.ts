import type { Resource } from 'chancery';
import type { Policy, ResourceRule } from './policy.ts';
import type { Written } from './written.ts';

/** Matches every request. */
export const ALL = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] } as const;

/** A match condition that is true for the requests of the operator. */
export function byOperator({ user }: Pick<Written, 'user'>): Policy['matches'][number] {
  return { name: 'by-the-operator', expression: `request.userInfo.username == ${literal(user)}` };
}

/** `text` as a string literal in CEL. */
export function literal(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`;
}

/** A list of strings as a literal in CEL, sorted and without duplicates. */
export function listOf(texts: Iterable<string>): string {
  return `[${[...new Set(texts)].sort().map(literal).join(', ')}]`;
}

/** An expression that is true when at least one of the expressions is true. */
export function anyOf(expressions: readonly string[]): string {
  if (expressions.length === 0) return 'false';
  return expressions.map((each) => `(${each})`).join(' ||\n');
}

/** An expression that is true when all of the expressions are true. */
export function allOf(expressions: readonly string[]): string {
  return expressions.map((each) => `(${each})`).join(' &&\n');
}

/**
 * The variable with a state of an object. `object` is the state after the request, and `oldObject`
 * the state before it.
 */
export type State = 'object' | 'oldObject';

/** An expression for a member of the metadata, or `otherwise` when it is missing. */
export function metadataOr(state: State, member: string, otherwise: '{}' | '[]'): string {
  const metadata = `dyn(${state}).metadata`;
  return `(${literal(member)} in ${metadata} ? ${metadata}.${member} : ${otherwise})`;
}

/** An expression for a field of a request, or `otherwise` when it is missing. */
export function memberOr(path: string, otherwise: string): string {
  return `(has(${path}) ? ${path} : ${otherwise})`;
}

/** The resource of a request: `deployments.apps`. */
export const RESOURCE = {
  name: 'resource',
  expression:
    "request.resource.resource + (request.resource.group == '' ? '' : '.' + request.resource.group)",
} as const;

/** Identifies an owner without its version, because the version may change. */
const WHICH = "(r.kind + '/' + r.name + '/' + r.uid)";

/**
 * Two variables for the owner that is the controller of the object: a list with its kind and group,
 * and a list with its identity. Each list has at most one item. Objects are `dyn`: servers check
 * types against the schema of a custom resource, which may declare only the name in its metadata.
 */
export function controllersIn(state: State, prefix: string): Policy['variables'] {
  const controllers = referencesIn(state, 'has(r.controller) && r.controller');
  return [
    {
      name: `${prefix}Kinds`,
      expression: `${controllers}.map(r, r.kind + '.' + (r.apiVersion.contains('/') ? r.apiVersion.split('/')[0] : ''))`,
    },
    { name: `${prefix}Owners`, expression: `${controllers}.map(r, ${WHICH})` },
  ];
}

/**
 * Variables for owners other than the controllers, before and after a request. An owner that
 * becomes the controller is also treated as the controller before the request. A controller that is
 * released must no longer be an owner.
 */
export const OTHER_OWNERS: Policy['variables'] = [
  {
    name: 'nowOthers',
    expression: referencesIn('object', `!(${WHICH} in variables.nowOwners)`),
  },
  {
    name: 'oldOthers',
    expression: referencesIn(
      'oldObject',
      `!(${WHICH} in variables.oldOwners) && !(${WHICH} in variables.nowOwners)`,
    ),
  },
];

function referencesIn(state: State, condition: string): string {
  const missing = state === 'object' ? 'DELETE' : 'CREATE';
  return `request.operation == '${missing}' || !('ownerReferences' in dyn(${state}).metadata) ? [] :
dyn(${state}).metadata.ownerReferences.filter(r, ${condition})`;
}

/** A kind, written like in `controllersIn`: `Website.example.dev`. */
export function kindName({ kind, group }: Pick<Resource, 'kind' | 'group'>): string {
  return `${kind}.${group}`;
}

/** The rules that match the resources: one rule per group and version. */
export function rulesFor(
  written: readonly { readonly resource: Resource }[],
  operations: readonly string[] = ['CREATE', 'UPDATE', 'DELETE'],
  part: string = '',
): readonly ResourceRule[] {
  const byVersion = Map.groupBy(written, ({ resource: { group, version } }) =>
    JSON.stringify([group, version]),
  );
  return [...byVersion]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, all]) => {
      const [group, version] = JSON.parse(key) as [string, string];
      const resources = [...new Set(all.map(({ resource }) => resource.plural + part))].sort();
      return { apiGroups: [group], apiVersions: [version], operations: [...operations], resources };
    });
}

/** An expression that is true when all members of an object except these are unchanged. */
export function sameContent(besides: readonly string[]): string {
  const left = listOf(besides);
  return (
    `dyn(object).all(k, k in ${left} || (k in dyn(oldObject) && dyn(object)[k] == dyn(oldObject)[k])) &&\n` +
    `dyn(oldObject).all(k, k in ${left} || k in dyn(object))`
  );
}

/** An expression that is true when a member of the metadata is unchanged. */
export function sameMember(member: string, empty: '{}' | '[]'): string {
  return `${metadataOr('object', member, empty)} == ${metadataOr('oldObject', member, empty)}`;
}

/** An expression that is true when all finalizers except these are unchanged. */
export function sameFinalizersBut(own: readonly string[]): string {
  if (own.length === 0) return sameMember('finalizers', '[]');
  const others = (state: State): string =>
    `${metadataOr(state, 'finalizers', '[]')}.filter(f, !(f in ${listOf(own)}))`;
  return `${others('object')} == ${others('oldObject')}`;
}

/**
 * An expression that is true when the metadata fields that people and controllers write are
 * unchanged.
 */
export const SAME_METADATA: string = allOf([
  sameMember('labels', '{}'),
  sameMember('annotations', '{}'),
  sameMember('ownerReferences', '[]'),
  sameMember('finalizers', '[]'),
]);

/** An expression that is true when an object has this label or annotation. */
export function has(
  state: State,
  member: 'labels' | 'annotations',
  key: string,
  value: string,
): string {
  const texts = metadataOr(state, member, '{}');
  return `${literal(key)} in ${texts} && ${texts}[${literal(key)}] == ${literal(value)}`;
}
