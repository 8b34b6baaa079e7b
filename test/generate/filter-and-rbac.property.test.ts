/**
 * The filter and the roles come from one declaration: what the roles grant gets through the filter,
 * and what gets through is granted, but for the pairs of method and path that a filter cannot tell.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Controller,
  controller,
  type Permission,
} from '../../operator/controller/controller.ts';
import { AWAIT_CHANGE } from '../../operator/controller/reconciler.ts';
import { type Source, source } from '../../operator/controller/source.ts';
import { VERBS, type Verb } from '../../operator/generate/access.ts';
import { type ProxyFilter, proxyFilter } from '../../operator/generate/proxy-filter.ts';
import { type Role, type RoleBinding, rbac } from '../../operator/generate/rbac.ts';
import { collectionPath, objectPath, type Resource } from '../../operator/model/resource.ts';

const NAMESPACES = ['demo', 'other', 'default'];
const SUBRESOURCES = [undefined, 'status', 'scale'];

const RESOURCES: readonly Resource[] = [
  { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true },
  { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true },
  { group: 'a.example', version: 'v1', plural: 'things', kind: 'Thing', namespaced: true },
  { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false },
  { group: 'axexample', version: 'v1', plural: 'things', kind: 'Thing', namespaced: true },
];

const resources = fc.constantFrom(...RESOURCES);

const sources: fc.Arbitrary<Source> = fc
  .record({
    resource: resources,
    namespace: fc.constantFrom('configured' as const, 'all' as const, { name: 'other' }),
  })
  .map(({ resource, namespace }) => source(resource, { namespace }));

/** A subresource is one of one object: nothing lists or watches it. */
const SUBRESOURCE_VERBS: readonly Verb[] = VERBS.filter(
  (verb) => verb !== 'list' && verb !== 'watch',
);

const permissions: fc.Arbitrary<Permission> = fc.oneof(
  fc.record({ resource: resources, verbs: someOf(VERBS) }),
  fc.record({
    resource: resources,
    subresource: fc.constantFrom('status', 'scale'),
    verbs: someOf(SUBRESOURCE_VERBS),
  }),
);

const declarations: fc.Arbitrary<readonly Controller[]> = fc.array(
  fc
    .record({ root: sources, allowed: fc.array(permissions, { maxLength: 3 }) })
    .map(({ root, allowed }) =>
      controller({
        name: 'a',
        for: root,
        permissions: allowed,
        reconcile: async () => AWAIT_CHANGE,
      }),
    ),
  { minLength: 1, maxLength: 2 },
);

function someOf(verbs: readonly Verb[]): fc.Arbitrary<Verb[]> {
  return fc.uniqueArray(fc.constantFrom(...verbs), { minLength: 1 });
}

/** One request of the API, with what an authorizer sees of it. */
interface Call {
  readonly verb: Verb;
  readonly method: string;
  readonly path: string;
  readonly resource: Resource;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
}

const METHODS: Readonly<Record<Verb, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

/** Every request on our few resources and namespaces. */
const CALLS: readonly Call[] = RESOURCES.flatMap((resource) =>
  (resource.namespaced ? [...NAMESPACES, undefined] : [undefined]).flatMap((namespace) =>
    SUBRESOURCES.flatMap((subresource) =>
      VERBS.flatMap((verb) => callsOf(verb, resource, subresource, namespace)),
    ),
  ),
);

function callsOf(
  verb: Verb,
  resource: Resource,
  subresource: string | undefined,
  namespace: string | undefined,
): Call[] {
  const onCollection = ['list', 'watch', 'create'].includes(verb) && subresource === undefined;
  if (subresource !== undefined && !SUBRESOURCE_VERBS.includes(verb)) return [];
  const acrossAll = resource.namespaced && namespace === undefined;
  if (acrossAll && !(onCollection && verb !== 'create')) return [];
  const path = onCollection
    ? collectionPath(resource, namespace)
    : objectPath(resource, { namespace, name: 'web.a-1' }, subresource);
  return [{ verb, method: METHODS[verb], path, resource, subresource, namespace }];
}

function passes({ acceptPaths, rejectPaths, rejectMethods }: ProxyFilter, call: Call): boolean {
  const finds = (patterns: readonly string[], text: string) =>
    patterns.some((pattern) => new RegExp(pattern).test(text));
  return (
    finds(acceptPaths, call.path) &&
    !finds(rejectPaths, call.path) &&
    !finds(rejectMethods, call.method)
  );
}

function granted(objects: readonly (Role | RoleBinding)[], call: Call, verbs: Verb[]): boolean {
  const { group, plural } = call.resource;
  const name = call.subresource === undefined ? plural : `${plural}/${call.subresource}`;
  return objects.some(
    (object) =>
      'rules' in object &&
      (object.kind === 'ClusterRole' || object.metadata.namespace === call.namespace) &&
      object.rules.some(
        (rule) =>
          rule.apiGroups.includes(group) &&
          rule.resources.includes(name) &&
          rule.verbs.some((verb) => verbs.includes(verb)),
      ),
  );
}

const placements = fc.constantFrom({ namespaces: ['demo'] }, { namespaces: undefined });
const names = { name: 'a', serviceAccount: { name: 'a', namespace: 'demo' } };

test('what the roles grant gets through the filter', () => {
  fc.assert(
    fc.property(declarations, placements, (controllers, placement) => {
      const filter = proxyFilter(controllers, placement);
      const objects = rbac(controllers, { ...placement, ...names });

      const stopped = CALLS.filter(
        (call) => granted(objects, call, [call.verb]) && !passes(filter, call),
      );
      expect(stopped).toEqual([]);
    }),
  );
});

test('what gets through the filter is a path on which the roles grant some verb', () => {
  fc.assert(
    fc.property(declarations, placements, (controllers, placement) => {
      const filter = proxyFilter(controllers, placement);
      const objects = rbac(controllers, { ...placement, ...names });

      const surplus = CALLS.filter((call) => {
        const samePath = CALLS.filter(({ path }) => path === call.path).map(({ verb }) => verb);
        return passes(filter, call) && !granted(objects, call, samePath);
      });
      expect(surplus).toEqual([]);
    }),
  );
});

test('no pattern has an empty element, a comma, a brace, or an end that is open', () => {
  fc.assert(
    fc.property(declarations, placements, (controllers, placement) => {
      const { acceptPaths, rejectPaths, rejectMethods } = proxyFilter(controllers, placement);

      expect(acceptPaths.filter((pattern) => !/^\^\/[^,{}]*[^,{}\\]\$$/.test(pattern))).toEqual([]);
      expect([...rejectPaths, ...rejectMethods].filter((one) => !/^[^,{}]+$/.test(one))).toEqual(
        [],
      );
      expect(rejectMethods.every((pattern) => /^\^\([A-Z|]+\)\$$/.test(pattern))).toBe(true);
    }),
  );
});
