import { expect, test } from 'vitest';
import { proxyArguments, proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { type Placement, POD_NAMESPACE } from '../../operator/access/placement.ts';
import { accessOf } from '../../operator/access/required-access.ts';
import {
  type Controller,
  controller,
  type Permission,
} from '../../operator/controller/controller.ts';
import { type SourceOptions, source } from '../../operator/controller/source.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';
import {
  configMaps,
  customResourceDefinitions,
  deployments,
  pods,
} from '../../operator/model/builtin.ts';
import { defineResource, type Resource } from '../../operator/model/resource.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const NAME = `${LABEL}([.]${LABEL})*`;
const REVIEWS = '^/apis/authorization[.]k8s[.]io/v1/selfsubject(rules|access)reviews$';

const nodes = defineResource({
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  namespaced: false,
});
const clusterRoles = defineResource({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterroles',
  kind: 'ClusterRole',
  namespaced: false,
});

interface Declaration {
  readonly for?: Resource;
  readonly options?: SourceOptions;
  readonly permissions?: readonly Permission[];
}

function declare({
  for: resource = configMaps,
  options,
  permissions = [],
}: Declaration): Controller {
  return controller({
    name: 'a',
    for: source(resource, options),
    permissions,
    reconcile: async () => {},
  });
}

const inDemo = { namespaces: ['demo'] };

test('for a source, the filter accepts the collection and its objects in the configured namespace', () => {
  const { acceptPaths } = proxyFilter([declare({})], inDemo);

  expect(acceptPaths).toEqual([
    '^/version$',
    REVIEWS,
    `^/api/v1/namespaces/demo/configmaps(/${NAME})?$`,
    `^/apis/events[.]k8s[.]io/v1/namespaces/demo/events(/${NAME})?$`,
  ]);
});

test("the filter contains the Pod's namespace as a variable, which the kubelet replaces", () => {
  const { acceptPaths } = proxyFilter([declare({})], { namespaces: [POD_NAMESPACE] });

  expect(acceptPaths).toContain(`^/api/v1/namespaces/$(POD_NAMESPACE)/configmaps(/${NAME})?$`);
});

test('for a source in all namespaces, the filter accepts the cluster-wide list and each namespace', () => {
  const expected = [
    '^/version$',
    REVIEWS,
    '^/api/v1/configmaps$',
    `^/api/v1/namespaces/${LABEL}/configmaps(/${NAME})?$`,
    `^/apis/events[.]k8s[.]io/v1/namespaces/${LABEL}/events(/${NAME})?$`,
  ];

  const bySetting = proxyFilter([declare({})], { namespaces: undefined });
  const bySource = proxyFilter([declare({ options: { namespace: 'all' } })], inDemo);

  expect(bySetting.acceptPaths).toEqual(expected);
  expect(bySource.acceptPaths).toEqual(expected);
});

test("if a source sets its namespace, the filter accepts the source and the controller's permissions only there", () => {
  const permissions: Permission[] = [{ resource: pods, verbs: ['delete'] }];
  const options = { namespace: { name: 'shared' } };

  const { acceptPaths } = proxyFilter([declare({ options, permissions })], inDemo);

  expect(acceptPaths).toEqual([
    '^/version$',
    REVIEWS,
    `^/api/v1/namespaces/shared/configmaps(/${NAME})?$`,
    `^/api/v1/namespaces/shared/pods/${NAME}$`,
    `^/apis/events[.]k8s[.]io/v1/namespaces/shared/events(/${NAME})?$`,
  ]);
});

test('a cluster-scoped resource has no namespace, and its Events are in default', () => {
  const { acceptPaths } = proxyFilter([declare({ for: nodes })], inDemo);

  expect(acceptPaths).toEqual([
    '^/version$',
    REVIEWS,
    `^/api/v1/nodes(/${NAME})?$`,
    `^/apis/events[.]k8s[.]io/v1/namespaces/default/events(/${NAME})?$`,
  ]);
});

test('if a controller has only cluster-scoped sources, the filter accepts its permissions in every namespace', () => {
  const permissions: Permission[] = [{ resource: pods, verbs: ['delete'] }];

  const { acceptPaths } = proxyFilter([declare({ for: nodes, permissions })], inDemo);

  expect(acceptPaths).toEqual([
    '^/version$',
    REVIEWS,
    `^/api/v1/nodes(/${NAME})?$`,
    `^/api/v1/namespaces/${LABEL}/pods/${NAME}$`,
    `^/apis/events[.]k8s[.]io/v1/namespaces/${LABEL}/events(/${NAME})?$`,
  ]);
});

test('the verbs decide whether the filter accepts the path of the collection or of the object', () => {
  const shapeOf = (...verbs: Permission['verbs'][number][]) =>
    proxyFilter([declare({ permissions: [{ resource: pods, verbs }] })], inDemo).acceptPaths.filter(
      (pattern) => pattern.includes('/pods'),
    );

  expect(shapeOf('create')).toEqual(['^/api/v1/namespaces/demo/pods$']);
  expect(shapeOf('list')).toEqual(['^/api/v1/namespaces/demo/pods$']);
  expect(shapeOf('patch')).toEqual([`^/api/v1/namespaces/demo/pods/${NAME}$`]);
  expect(shapeOf('list', 'delete')).toEqual([`^/api/v1/namespaces/demo/pods(/${NAME})?$`]);
});

test('for a permission on a subresource, the filter does not accept the path of the object itself', () => {
  const permissions: Permission[] = [
    { resource: pods, subresource: 'eviction', verbs: ['create'] },
    { resource: deployments, subresource: 'scale', verbs: ['get', 'patch'] },
  ];

  const { acceptPaths } = proxyFilter([declare({ permissions })], inDemo);

  expect(acceptPaths).toContain(`^/api/v1/namespaces/demo/pods/${NAME}/eviction$`);
  expect(acceptPaths).toContain(`^/apis/apps/v1/namespaces/demo/deployments/${NAME}/scale$`);
  expect(acceptPaths).toHaveLength(6);
});

test('names of RBAC objects may contain colons and capitals, but `.` and `..` are not accepted', () => {
  const { acceptPaths } = proxyFilter([declare({ for: clusterRoles })], inDemo);
  const passes = (name: string) =>
    acceptPaths.some((pattern) =>
      new RegExp(pattern).test(`/apis/rbac.authorization.k8s.io/v1/clusterroles/${name}`),
    );

  expect(['system:node', 'Admin', 'a_b'].filter(passes)).toEqual(['system:node', 'Admin', 'a_b']);
  expect(['.', '..', '', 'a/b', ':', 'a%2f'].filter(passes)).toEqual([]);
});

test('methods that no verb needs are rejected', () => {
  const rejected = (...verbs: Permission['verbs'][number][]) =>
    proxyFilter([declare({ permissions: [{ resource: pods, verbs }] })], inDemo).rejectMethods;

  expect(rejected('get')).toEqual(['^(CONNECT|DELETE|HEAD|OPTIONS|PUT|TRACE)$']);
  expect(rejected('update', 'delete')).toEqual(['^(CONNECT|HEAD|OPTIONS|TRACE)$']);
});

test('the filter for several controllers has each pattern once, whatever the order of the controllers', () => {
  const one = declare({ permissions: [{ resource: pods, verbs: ['list'] }] });
  const other = declare({ for: pods });

  const together = proxyFilter([one, other], inDemo);
  const reversed = proxyFilter([other, one], inDemo);

  expect(together).toEqual(reversed);
  expect(together.acceptPaths).toHaveLength(new Set(together.acceptPaths).size);
  expect(together.acceptPaths).toContain(`^/api/v1/namespaces/demo/pods(/${NAME})?$`);
});

test.each([
  ['plural', { ...pods, plural: 'pods|.*' }],
  ['group', { ...pods, group: 'a..b' }],
  ['version', { ...pods, version: '' }],
])('a %s that is not a plain name, such as a regular expression, is refused', (_, resource) => {
  expect(() => proxyFilter([declare({ for: resource })], inDemo)).toThrow(ConfigurationError);
});

test.each([
  '*',
  'a,b',
  '$(HOME)',
  '',
  'a'.repeat(64),
])('the namespace %j is refused', (namespace) => {
  expect(() => proxyFilter([declare({})], { namespaces: [namespace] })).toThrow(ConfigurationError);
});

test.each([
  [pods, 'exec'],
  [pods, 'portforward'],
  [nodes, 'proxy'],
  [{ ...pods, plural: 'serviceaccounts' }, 'token'],
])('[security 11] a declared tunnel is refused, because the filter could not open it', (resource, subresource) => {
  const permissions: Permission[] = [{ resource, subresource, verbs: ['create'] }];

  expect(() => proxyFilter([declare({ permissions })], inDemo)).toThrow(
    'the ambassador never lets this subresource through',
  );
});

test('each flag of kubectl is one argument with its patterns, separated by commas', () => {
  const filter = { acceptPaths: ['^/a$', '^/b$'], rejectPaths: ['^/c$'], rejectMethods: ['^D$'] };

  expect(proxyArguments(filter)).toEqual([
    '--accept-paths=^/a$,^/b$',
    '--reject-paths=^/c$',
    '--reject-methods=^D$',
  ]);
});

const widgets = defineResource({
  group: 'example.com',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
});

test('[W-40] for a source of a custom resource, the filter accepts the discovery of its group version', () => {
  const { acceptPaths } = proxyFilter([declare({ for: widgets })], inDemo);

  expect(acceptPaths).toContain('^/apis/example[.]com/v1$');
  expect(acceptPaths.filter((pattern) => pattern.includes('apiextensions'))).toEqual([]);
});

test("[W-40] with `onUnserved: 'clear'`, the filter accepts reading the resource's definition", () => {
  const clears = declare({ for: widgets, options: { onUnserved: 'clear' } });
  const builtIn = declare({ for: pods, options: { onUnserved: 'clear' } });
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
  const opens = (from: Controller): boolean =>
    proxyFilter([from], inDemo).acceptPaths.some((pattern) => new RegExp(pattern).test(path));

  expect([opens(clears), opens(builtIn)]).toEqual([true, false]);
  expect(accessOf([clears], inDemo)).toContainEqual({
    resource: customResourceDefinitions,
    subresource: undefined,
    namespace: undefined,
    verbs: ['get'],
    resourceNames: ['widgets.example.com'],
  });
});

test('[K-31] a permission that is checked only by admission is granted, and opens no path in the filter', () => {
  const declared = controller({
    name: 'a',
    for: widgets,
    owns: [configMaps],
    reconcile: async () => {},
  });

  const { acceptPaths, rejectMethods } = proxyFilter([declared], inDemo);

  expect(acceptPaths).toContain(`^/api/v1/namespaces/demo/configmaps(/${NAME})?$`);
  expect(acceptPaths.filter((pattern) => pattern.includes('finalizers'))).toEqual([]);
  expect(rejectMethods).toEqual(['^(CONNECT|DELETE|HEAD|OPTIONS|PUT|TRACE)$']);
});

test('[LE-1] with leader election, the filter lets the operator read, create and replace its Lease', () => {
  const { acceptPaths, rejectMethods } = proxyFilter([declare({ for: pods })], {
    ...inDemo,
    leaderElection: { namespace: 'ops' },
  });
  const opens = (path: string): boolean => acceptPaths.some((each) => new RegExp(each).test(path));
  const leases = '/apis/coordination.k8s.io/v1/namespaces/ops/leases';

  expect([opens(leases), opens(`${leases}/a-leader`)]).toEqual([true, true]);
  expect(opens(leases.replace('ops', 'demo'))).toBe(false);
  expect(rejectMethods.some((each) => new RegExp(each).test('PUT'))).toBe(false);
});

/** The accept patterns of what a controller with these permissions does to one plural. */
function patternsFor(
  plural: string,
  permissions: readonly Permission[],
  placement: Partial<Placement> = {},
): readonly string[] {
  const declared = declare({ for: widgets, permissions });
  const { acceptPaths } = proxyFilter([declared], { ...inDemo, ...placement });
  return acceptPaths.filter((pattern) => pattern.includes(`/${plural}`));
}

test('several names are alternatives in one pattern, and a dot in a name is escaped', () => {
  const named = (...resourceNames: string[]): Permission[] => [
    { resource: pods, resourceNames, verbs: ['get', 'patch'] },
  ];

  expect(patternsFor('pods', named('b', 'a.c'))).toEqual([
    '^/api/v1/namespaces/demo/pods/(a[.]c|b)$',
  ]);
  expect(patternsFor('pods', named('a'))).toEqual(['^/api/v1/namespaces/demo/pods/a$']);
});

test("in the path of a subresource, the object's name stands before the subresource", () => {
  const permissions: Permission[] = [
    { resource: deployments, subresource: 'scale', resourceNames: ['a', 'b'], verbs: ['patch'] },
  ];

  expect(patternsFor('deployments', permissions)).toEqual([
    '^/apis/apps/v1/namespaces/demo/deployments/(a|b)/scale$',
  ]);
});

test('for `list` with resource names, the filter accepts the collection; for `create` it does not', () => {
  const named = (...verbs: Permission['verbs'][number][]): Permission[] => [
    { resource: pods, resourceNames: ['a'], verbs },
  ];

  expect(patternsFor('pods', named('list'))).toEqual(['^/api/v1/namespaces/demo/pods$']);
  expect(patternsFor('pods', named('watch', 'get'))).toEqual([
    '^/api/v1/namespaces/demo/pods(/a)?$',
  ]);
  expect(patternsFor('pods', named('create', 'patch'))).toEqual([
    '^/api/v1/namespaces/demo/pods/a$',
  ]);
  expect(patternsFor('pods', named('create'))).toEqual(['^/api/v1/namespaces/demo/pods/a$']);
});

test('with a permission for every object, the filter accepts every name, even if another permission has names', () => {
  const permissions: Permission[] = [
    { resource: pods, verbs: ['get'] },
    { resource: pods, resourceNames: ['a'], verbs: ['delete'] },
  ];

  expect(patternsFor('pods', permissions)).toEqual([`^/api/v1/namespaces/demo/pods/${NAME}$`]);
});

test('several namespaces are alternatives in a pattern, sorted and without repetition', () => {
  const permissions: Permission[] = [{ resource: pods, verbs: ['get'] }];
  const patterns = patternsFor('pods', permissions, { namespaces: ['b', POD_NAMESPACE, 'a', 'b'] });

  expect(patterns).toEqual([`^/api/v1/namespaces/($(POD_NAMESPACE)|a|b)/pods/${NAME}$`]);
});

test('namespaces with different permissions have separate patterns', () => {
  const shared = declare({ options: { namespace: { name: 'shared' } } });
  const everywhere = proxyFilter([shared, declare({ for: pods })], {
    namespaces: ['demo', 'shared'],
  }).acceptPaths.filter((pattern) => pattern.startsWith('^/api/v1/'));

  expect(everywhere).toEqual([
    `^/api/v1/namespaces/shared/configmaps(/${NAME})?$`,
    `^/api/v1/namespaces/(demo|shared)/pods(/${NAME})?$`,
  ]);
});

test('a path that is accepted in every namespace has no second pattern for a single namespace', () => {
  const everywhere = declare({
    for: widgets,
    options: { namespace: 'all' },
    permissions: [{ resource: pods, verbs: ['get'] }],
  });
  const here = declare({
    for: widgets,
    permissions: [
      { resource: pods, resourceNames: ['a'], verbs: ['patch'] },
      { resource: pods, verbs: ['create'] },
    ],
  });

  const { acceptPaths } = proxyFilter([here, everywhere], inDemo);

  expect(acceptPaths.filter((pattern) => pattern.includes('pods'))).toEqual([
    `^/api/v1/namespaces/${LABEL}/pods/${NAME}$`,
    '^/api/v1/namespaces/demo/pods$',
  ]);
});

test("[W-40] the filter accepts a source's discovery path even if its other paths are accepted already", () => {
  const everywhere = declare({
    options: { namespace: 'all' },
    permissions: [{ resource: widgets, verbs: ['get', 'create'] }],
  });

  const { acceptPaths } = proxyFilter([everywhere, declare({ for: widgets })], inDemo);

  expect(acceptPaths.filter((pattern) => pattern.includes('example'))).toEqual([
    `^/apis/example[.]com/v1/namespaces/${LABEL}/widgets(/${NAME})?$`,
    '^/apis/example[.]com/v1$',
  ]);
});

test('for a source that selects one name, the filter accepts the collection and that object', () => {
  const options = { fieldSelector: 'metadata.name=web.a' };

  const { acceptPaths } = proxyFilter([declare({ options })], inDemo);

  expect(acceptPaths).toContain('^/api/v1/namespaces/demo/configmaps(/web[.]a)?$');
});

test('[LE-1] the filter accepts the Lease by its name, and the path of the collection, which is needed to create it', () => {
  const { acceptPaths } = proxyFilter([declare({})], {
    ...inDemo,
    leaderElection: { namespace: POD_NAMESPACE, leaseName: 'my-operator' },
  });

  expect(acceptPaths).toContain(
    '^/apis/coordination[.]k8s[.]io/v1/namespaces/$(POD_NAMESPACE)/leases(/my-operator)?$',
  );
});

test('the filter accepts the definitions that the operator installs by name, but not their collection', () => {
  const definition = { metadata: { name: 'widgets.example.com' }, spec: { versions: [] } };
  const declared = declare({ for: { ...widgets, definition } as Resource });
  const definitions = (installCrds: boolean) =>
    proxyFilter([declared], { ...inDemo, installCrds }).acceptPaths.filter((pattern) =>
      pattern.includes('apiextensions'),
    );

  expect(definitions(true)).toEqual([
    '^/apis/apiextensions[.]k8s[.]io/v1/customresourcedefinitions/widgets[.]example[.]com$',
  ]);
  expect(definitions(false)).toEqual([]);
});

test('without controllers, the filter accepts only `/version` and self-subject access reviews', () => {
  const filter = proxyFilter([], inDemo);
  const asks = (path: string): boolean =>
    filter.acceptPaths.some((pattern) => new RegExp(pattern).test(path));
  const reviews = '/apis/authorization.k8s.io/v1/';

  expect(filter.acceptPaths).toEqual(['^/version$', REVIEWS]);
  expect(filter.rejectMethods).toEqual(['^(CONNECT|DELETE|HEAD|OPTIONS|PATCH|PUT|TRACE)$']);
  expect(asks(`${reviews}selfsubjectrulesreviews`)).toBe(true);
  expect(asks(`${reviews}selfsubjectaccessreviews`)).toBe(true);
  expect(asks(`${reviews}subjectaccessreviews`)).toBe(false);
});

test.each([
  ['certificates.k8s.io', 'certificatesigningrequests', 'node-csr-aB_1-'],
  ['networking.k8s.io', 'ipaddresses', '2001:db8::1'],
  ['networking.k8s.io', 'ipaddresses', '::1'],
])('the filter accepts for %s %s the name %s, but not `.` or `..`', (group, plural, name) => {
  const resource = { ...nodes, group, plural };
  const { acceptPaths } = proxyFilter([declare({ for: resource })], inDemo);
  const opens = (one: string): boolean =>
    acceptPaths.some((pattern) => new RegExp(pattern).test(`/apis/${group}/v1/${plural}/${one}`));

  expect(opens(name)).toBe(true);
  expect(['.', '..', '', 'a/b', '%2e', 'a\n'].filter(opens)).toEqual([]);
});

test.each([
  'exec',
  'attach',
  'portforward',
  'proxy',
])('the tunnel %s of an aggregated API is refused, just as the tunnel of a Pod', (subresource) => {
  const machines = { ...widgets, group: 'subresources.example.com', plural: 'machines' };
  const permissions: Permission[] = [{ resource: machines, subresource, verbs: ['get'] }];

  expect(() => proxyFilter([declare({ permissions })], inDemo)).toThrow(
    'the ambassador never lets this subresource through',
  );
});

test('the filter lists each namespace for each resource, so that more namespaces or resources make it longer', () => {
  const namespaces = (count: number) =>
    Array.from({ length: count }, (_, at) => `team-${100 + at}`);
  const resources = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ ...widgets, plural: `things${100 + at}` }));
  const lengthFor = (placeCount: number, resourceCount: number): number => {
    const permissions = resources(resourceCount).map((resource): Permission => {
      return { resource, verbs: ['get', 'list', 'patch'] };
    });
    const filter = proxyFilter([declare({ for: widgets, permissions })], {
      namespaces: namespaces(placeCount),
    });
    return filter.acceptPaths.join(',').length;
  };

  const grown = lengthFor(100, 20) - lengthFor(50, 20);
  expect(lengthFor(150, 20) - lengthFor(100, 20)).toBe(grown);
  expect(grown).toBe(50 * '|team-100'.length * 22); // widgets, the Events, and the twenty
  expect(() => lengthFor(700, 20)).toThrow('too many for one argument');
});
