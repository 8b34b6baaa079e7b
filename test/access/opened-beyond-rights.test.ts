import { expect, test } from 'vitest';
import { openedBeyondRights } from '../../operator/access/filter/opened-beyond-rights.ts';
import type { Placement } from '../../operator/access/placement.ts';
import { controller, type Permission } from '../../operator/controller/controller.ts';
import { type SourceOptions, source } from '../../operator/controller/source.ts';
import { configMaps, pods } from '../../operator/model/builtin.ts';
import { defineResource } from '../../operator/model/resource.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const NAME = `${LABEL}([.]${LABEL})*`;
const CONFIG_MAPS = '^/api/v1/namespaces/demo/configmaps';

const widgets = defineResource({
  group: 'example.com',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
});

/** What is told about paths with `part`, as `methods path reason [granted names]`. */
function told(
  part: string,
  permissions: readonly Permission[] = [],
  { options = {}, ...placement }: Partial<Placement> & { readonly options?: SourceOptions } = {},
): string[] {
  const declared = controller({
    name: 'a',
    for: source(configMaps, options),
    permissions,
    reconcile: async () => {},
  });
  return openedBeyondRights([declared], { namespaces: ['demo'], ...placement })
    .filter(({ path }) => path.includes(part))
    .map(({ path, methods, because, grantedNames }) =>
      [...methods, path, because, ...grantedNames].join(' '),
    );
}

test('the report says that a method passes the filter for every path because one path needs it', () => {
  // The Events are what is created and patched.
  expect(told('configmaps')).toEqual([
    `POST PATCH ${CONFIG_MAPS}$ method`,
    `POST PATCH ${CONFIG_MAPS}/${NAME}$ method`,
  ]);
  expect(told('version')).toEqual(['POST PATCH ^/version$ method']);
  expect(told('selfsubject')).toEqual([
    'GET PATCH ^/apis/authorization[.]k8s[.]io/v1/selfsubject(rules|access)reviews$ method',
  ]);
});

test('a granted request is not reported', () => {
  const all = ['create', 'update', 'patch', 'delete'] as const;

  expect(told('configmaps', [{ resource: configMaps, verbs: all }])).toEqual([
    `DELETE ${CONFIG_MAPS}$ method`, // deletecollection, which is another right
  ]);
});

test('the report says that DELETE is granted for two names, but passes the filter for all names', () => {
  const permissions: Permission[] = [
    { resource: configMaps, resourceNames: ['b', 'a'], verbs: ['delete'] },
  ];

  expect(told('configmaps', permissions)).toContain(`DELETE ${CONFIG_MAPS}/${NAME}$ name a b`);
});

test('for each method, the report lists the names that pass the filter without being granted', () => {
  const permissions: Permission[] = [
    { resource: pods, resourceNames: ['a', 'b'], verbs: ['get'] },
    { resource: pods, resourceNames: ['b', 'c'], verbs: ['delete'] },
  ];

  expect(told('pods', permissions)).toEqual([
    'GET ^/api/v1/namespaces/demo/pods/c$ method',
    'POST PATCH ^/api/v1/namespaces/demo/pods/(a|b|c)$ method',
    'DELETE ^/api/v1/namespaces/demo/pods/a$ method',
  ]);
});

test('the report says that a permission to list one object lets lists of all objects pass the filter', () => {
  const options = { fieldSelector: 'metadata.name=web' };

  expect(told('configmaps$', [], { options })).toContain(`GET ${CONFIG_MAPS}$ query web`);
});

test('the report says that both lists and watches pass the filter, even if only one of the two is granted', () => {
  expect(told('pods', [{ resource: pods, verbs: ['list'] }])).toContain(
    'GET ^/api/v1/namespaces/demo/pods$ query',
  );
  expect(
    told('pods', [
      { resource: pods, resourceNames: ['a', 'b'], verbs: ['list'] },
      { resource: pods, resourceNames: ['b', 'c'], verbs: ['watch'] },
    ]),
  ).toContain('GET ^/api/v1/namespaces/demo/pods$ query b');
});

test('the report says that a permission to create lets lists pass the filter', () => {
  const leaderElection = { namespace: 'ops', leaseName: 'lease' };
  const leases = '^/apis/coordination[.]k8s[.]io/v1/namespaces/ops/leases';

  expect(told('leases', [], { leaderElection })).toEqual([
    `GET PUT PATCH ${leases}$ method`,
    `PATCH ${leases}/lease$ method`,
  ]);
});

test('the report says that a request that is granted in one namespace passes the filter in other namespaces', () => {
  const everywhere = controller({
    name: 'a',
    for: source(pods, { namespace: 'all' }),
    reconcile: async () => {},
  });
  const here = controller({
    name: 'b',
    for: source(configMaps),
    permissions: [{ resource: pods, verbs: ['delete'] }],
    reconcile: async () => {},
  });

  const opened = openedBeyondRights([everywhere, here], { namespaces: ['demo'] });

  expect(opened.filter(({ path }) => path.endsWith(`/pods/${NAME}$`))).toMatchObject([
    {
      path: `^/api/v1/namespaces/${LABEL}/pods/${NAME}$`,
      methods: ['POST', 'PATCH', 'DELETE'],
      because: 'method',
    },
  ]);
});

test('if all namespaces are watched, the report has one path for all namespaces together, and one for a single namespace', () => {
  expect(told('configmaps$', [], { namespaces: undefined })).toEqual([
    'POST PATCH ^/api/v1/configmaps$ method',
    `POST PATCH ^/api/v1/namespaces/${LABEL}/configmaps$ method`,
  ]);
});

test('the report groups namespaces in which the same requests pass the filter without being granted', () => {
  expect(told('configmaps$', [], { namespaces: ['b', 'a'] })).toEqual([
    'POST PATCH ^/api/v1/namespaces/(a|b)/configmaps$ method',
  ]);
});

test("the report says that methods other than GET pass the filter for a source's discovery path", () => {
  const declared = controller({ name: 'a', for: widgets, reconcile: async () => {} });

  const opened = openedBeyondRights([declared], { namespaces: ['demo'] });

  expect(opened.filter(({ path }) => path.endsWith('/v1$'))).toEqual([
    {
      path: '^/apis/example[.]com/v1$',
      methods: ['POST', 'PATCH'],
      because: 'method',
      grantedNames: [],
    },
  ]);
});

test('a request for another version of a granted resource is not reported', () => {
  const older = { ...widgets, version: 'v1beta1' };
  const permissions: Permission[] = [
    { resource: widgets, verbs: ['get'] },
    { resource: older, verbs: ['patch'] },
  ];

  expect(told('widgets', permissions)).toEqual([
    `POST ^/apis/example[.]com/v1/namespaces/demo/widgets/${NAME}$ method`,
    `POST ^/apis/example[.]com/v1beta1/namespaces/demo/widgets/${NAME}$ method`,
  ]);
});
