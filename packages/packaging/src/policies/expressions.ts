import type { Resource } from 'chancery';
import type { Policy, ResourceRule } from './policy.ts';
import type { Written } from './written.ts';

/** Every request of the operator that a policy sees. */
export const ALL = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] } as const;

/** True for the requests of the operator. */
export function byOperator({ user }: Pick<Written, 'user'>): Policy['matches'][number] {
  return { name: 'by-the-operator', expression: `request.userInfo.username == ${literal(user)}` };
}

/** A text as CEL writes it. */
export function literal(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`;
}

/** A list of texts as CEL writes it, sorted and each once. */
export function listOf(texts: Iterable<string>): string {
  return `[${[...new Set(texts)].sort().map(literal).join(', ')}]`;
}

/** True when one of the expressions is. */
export function anyOf(expressions: readonly string[]): string {
  if (expressions.length === 0) return 'false';
  return expressions.map((each) => `(${each})`).join(' ||\n');
}

/** True when all of the expressions are. */
export function allOf(expressions: readonly string[]): string {
  return expressions.map((each) => `(${each})`).join(' &&\n');
}

/** The object after a request, or before it. */
export type State = 'object' | 'oldObject';

/** A member of the metadata, or `otherwise` when it is not there. */
export function metadataOr(state: State, member: string, otherwise: '{}' | '[]'): string {
  const metadata = `dyn(${state}).metadata`;
  return `(${literal(member)} in ${metadata} ? ${metadata}.${member} : ${otherwise})`;
}

/** A field of a request, or `otherwise` when it is not there. */
export function memberOr(path: string, otherwise: string): string {
  return `(has(${path}) ? ${path} : ${otherwise})`;
}

/** `deployments.apps`: the resource of a request. */
export const RESOURCE = {
  name: 'resource',
  expression:
    "request.resource.resource + (request.resource.group == '' ? '' : '.' + request.resource.group)",
} as const;

/** The version of an owner may change, and nothing else of it. */
const WHICH = "(r.kind + '/' + r.name + '/' + r.uid)";

/**
 * The controllers of the object, of which there is one at most: their kinds with their groups, and which objects they are.
 * Objects are `dyn`: the schema of a custom resource, as servers check types by it, may know no more of its metadata than the
 * name.
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
 * Owners besides the controllers, after a request and before it. One that the request makes the controller counts as one
 * before, too; one that it releases is to be gone.
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

/** `Website.example.dev`, as `controllersIn` writes a kind. */
export function kindName({ kind, group }: Pick<Resource, 'kind' | 'group'>): string {
  return `${kind}.${group}`;
}

/** One rule for each group and version. */
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

/** True when all members of an object but these are as they were. */
export function sameContent(besides: readonly string[]): string {
  const left = listOf(besides);
  return (
    `dyn(object).all(k, k in ${left} || (k in dyn(oldObject) && dyn(object)[k] == dyn(oldObject)[k])) &&\n` +
    `dyn(oldObject).all(k, k in ${left} || k in dyn(object))`
  );
}

/** True when a member of the metadata is as it was. */
export function sameMember(member: string, empty: '{}' | '[]'): string {
  return `${metadataOr('object', member, empty)} == ${metadataOr('oldObject', member, empty)}`;
}

/** True when the finalizers of others are as they were. */
export function sameFinalizersBut(own: readonly string[]): string {
  if (own.length === 0) return sameMember('finalizers', '[]');
  const others = (state: State): string =>
    `${metadataOr(state, 'finalizers', '[]')}.filter(f, !(f in ${listOf(own)}))`;
  return `${others('object')} == ${others('oldObject')}`;
}

/** True when nothing in the metadata changes that people and controllers write. */
export const SAME_METADATA: string = allOf([
  sameMember('labels', '{}'),
  sameMember('annotations', '{}'),
  sameMember('ownerReferences', '[]'),
  sameMember('finalizers', '[]'),
]);

/** True when an object has this label or annotation. */
export function has(
  state: State,
  member: 'labels' | 'annotations',
  key: string,
  value: string,
): string {
  const texts = metadataOr(state, member, '{}');
  return `${literal(key)} in ${texts} && ${texts}[${literal(key)}] == ${literal(value)}`;
}
