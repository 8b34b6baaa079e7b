import { declaresStatus } from '../../model/custom-resource-definition.ts';
import { resourceName } from '../../model/resource.ts';
import { METHOD_OF, type PathVerb } from '../merge-access.ts';
import { type RequestPath, requestPath } from '../request-path.ts';
import type { RequiredAccessRule } from '../required-access.ts';

interface RefusedRequest {
  /** The HTTP method in upper case. */
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
}

/**
 * Why a filter that was generated from `declared` refuses a request. The reason is the first part of the
 * request that no declaration covers. The parts are checked in the order version, subresource, namespace,
 * verb, name. Undefined when the path is not the path of a resource, or when the resource is not declared.
 */
export function refusedRequest(
  declared: readonly RequiredAccessRule[],
  { method, path }: RefusedRequest,
): string | undefined {
  const asked = requestPath(path);
  if (asked === undefined) return undefined;
  const { group, plural } = asked;
  let left = declared.filter(
    ({ resource, unrequested }) =>
      resource.group === group && resource.plural === plural && unrequested !== true,
  );
  if (left.length === 0) return undefined;
  const name = resourceName({ group, plural });
  for (const step of STEPS) {
    const matching = left.filter((access) => step.has(access, { ...asked, method }));
    if (matching.length === 0) return step.problem(name, left, { ...asked, method });
    left = matching;
  }
  return `${name} is declared (${reasonsOf(left)}): the arguments of the proxy are older than the declaration, or were made for other namespaces`;
}

type Asked = RequestPath & { readonly method: string };

interface Step {
  readonly has: (access: RequiredAccessRule, asked: Asked) => boolean;
  readonly problem: (name: string, declared: readonly RequiredAccessRule[], asked: Asked) => string;
}

const STEPS: readonly Step[] = [
  {
    has: ({ resource }, { version }) => resource.version === version,
    problem: (name, declared, { version }) =>
      `${name} is declared in ${listOf(declared.map(({ resource }) => resource.version))}, and not in ${version}`,
  },
  {
    has: (access, { subresource }) => access.subresource === subresource,
    problem: (name, declared, { subresource }) =>
      subresource === undefined
        ? `of ${name} only ${listOf(declared.map((access) => access.subresource ?? ''))} is declared`
        : withoutSubresource(name, subresource, declared),
  },
  {
    has: (access, { namespace }) =>
      access.namespace === undefined || access.namespace === namespace,
    problem: (name, declared, { namespace }) => {
      const places = `${name} is declared in namespace ${listOf(declared.map((access) => access.namespace ?? ''))}`;
      return namespace === undefined
        ? `${places}, and the request is for all namespaces: name one, or watch all namespaces`
        : `${places}, and not in ${namespace}: add it to the watched namespaces (WATCH_NAMESPACE), or to a permission as namespaces: ['${namespace}']`;
    },
  },
  {
    has: ({ verbs }, asked) => verbsOf(asked).some((verb) => verbs.some((each) => each === verb)),
    problem: (of, declared, asked) =>
      `of ${of} ${listOf(declared.flatMap(({ verbs }) => verbs))} is declared, and not ${verbsOf(asked).join(' or ')}`,
  },
  {
    has: ({ resourceNames }, { method, name }) =>
      resourceNames === undefined ||
      (name === undefined ? method !== 'POST' : resourceNames.includes(name)),
    problem: (of, declared, { name }) => {
      const names = `of ${of} only the names ${listOf(declared.flatMap(({ resourceNames = [] }) => resourceNames))} are declared`;
      return name === undefined
        ? `${names}, and a POST has no name in its path: create the object by server-side apply`
        : `${names}, and not ${name}`;
    },
  },
];

/**
 * The message about an undeclared subresource. If the API server does not serve the subresource `status`, the
 * message does not suggest a permission for it.
 */
function withoutSubresource(
  name: string,
  subresource: string,
  declared: readonly RequiredAccessRule[],
): string {
  const isUnserved = declared.some(({ resource }) => declaresStatus(resource) === false);
  return subresource === 'status' && isUnserved
    ? `the definition of ${name} has no status subresource in ${listOf(declared.map(({ resource }) => resource.version))}: add "subresources: { status: {} }" to that version, and install the definition`
    : `${name} is declared, and its subresource ${subresource} is not: add a permission with subresource: '${subresource}'`;
}

/** The verbs that the request may have for the API server. */
function verbsOf({ method, name }: Asked): readonly PathVerb[] {
  if (method === 'GET') return name === undefined ? ['list', 'watch'] : ['get'];
  if (method === 'DELETE') return [name === undefined ? 'deletecollection' : 'delete'];
  return (['create', 'update', 'patch'] as const).filter((verb) => METHOD_OF[verb] === method);
}

function reasonsOf(accesses: readonly RequiredAccessRule[]): string {
  return listOf(
    accesses.map(({ controller, reason }) =>
      controller === undefined ? reason : `controller ${controller}: ${reason}`,
    ),
  );
}

/** Maximum number of names in a message. */
const MAX_LISTED = 5;

function listOf(texts: readonly string[]): string {
  const all = [...new Set(texts)].filter((text) => text !== '').sort();
  const shown = all.slice(0, MAX_LISTED).join(', ');
  return all.length > MAX_LISTED ? `${shown}, …` : shown;
}
