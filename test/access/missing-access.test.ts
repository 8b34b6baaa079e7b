import { describe, expect, test } from 'vitest';
import { excessRules } from '../../operator/access/excess-rules.ts';
import {
  type GrantedRules,
  missingAccess,
  missingRules,
  needsText,
  ruleYaml,
} from '../../operator/access/missing-access.ts';
import type { Placement } from '../../operator/access/placement.ts';
import { requiredAccess } from '../../operator/access/required-access.ts';
import { neededAccess, requiredRights } from '../../operator/access/required-rights.ts';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { configMaps, deployments, pods } from '../../operator/model/builtin.ts';
import type { ResourceRule } from '../../operator/model/kubernetes/authorization-v1.ts';
import { secrets } from '../../operator/model/kubernetes/resources.ts';
import { defineResource } from '../../operator/model/resource.ts';

const widgets = {
  ...defineResource({
    group: 'example.com',
    version: 'v1',
    plural: 'widgets',
    kind: 'Widget',
    namespaced: true,
  }),
  hasStatus: true,
};

const widget = controller({
  name: 'widget',
  for: source(widgets),
  owns: [deployments],
  finalizer: { name: 'example.com/widget', finalize: async () => {} },
  permissions: [{ resource: secrets, verbs: ['get'], resourceNames: ['key'] }],
  reconcile: async () => {},
});

const DEMO: Placement = { namespaces: ['demo'] };
const NOTHING: GrantedRules = { resourceRules: [], nonResourceRules: [] };
const PUBLIC = [{ verbs: ['get'], nonResourceURLs: ['/version', '/apis', '/apis/*'] }];

/** What is missing, as people read it. */
function missing(
  placement: Placement,
  granted: Readonly<Record<string, readonly ResourceRule[]>>,
  everywhere: readonly ResourceRule[] = [],
) {
  const found = missingAccess(neededAccess(requiredAccess([widget], placement)), (namespace) => ({
    resourceRules: namespace === undefined ? everywhere : (granted[namespace] ?? []),
    nonResourceRules: PUBLIC,
  }));
  return missingRules(found).map(({ kind, text, neededBy }) => [kind, text, needsText(neededBy)]);
}

const EVERYTHING = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };

describe('which permissions are reported as missing', () => {
  test('if nothing is granted, every permission is reported, with its controller and its reason', () => {
    expect(missing(DEMO, {})).toEqual([
      [
        'Role',
        'get, list, watch, patch widgets.example.com in namespace demo',
        'controller widget (source, finalizer)',
      ],
      [
        'Role',
        'get, list, watch, create, patch deployments.apps in namespace demo',
        'controller widget (source, owns)',
      ],
      ['Role', 'patch widgets.example.com/status in namespace demo', 'controller widget (status)'],
      [
        'Role',
        'update widgets.example.com/finalizers in namespace demo',
        'controller widget (owns)',
      ],
      ['Role', 'get secrets "key" in namespace demo', 'controller widget (permission)'],
      [
        'Role',
        'create, patch events.events.k8s.io in namespace demo',
        'controller widget (events)',
      ],
    ]);
  });

  test.each([
    ['everything in the namespace', { demo: [EVERYTHING] }, []],
    ['everything everywhere', {}, [EVERYTHING]],
  ])('no permission is missing if %s is granted', (_, granted, everywhere) => {
    expect(missing(DEMO, granted, everywhere)).toEqual([]);
  });

  test('a permission counts as missing if it is granted only in another namespace', () => {
    expect(missing(DEMO, { other: [EVERYTHING] })).toHaveLength(6);
  });

  test('permissions for all namespaces count as missing if they are granted in one namespace only', () => {
    const [first] = missing({ namespaces: undefined }, { demo: [EVERYTHING] });

    expect(first?.slice(0, 2)).toEqual([
      'ClusterRole',
      'get, list, watch, patch widgets.example.com in all namespaces',
    ]);
  });

  test('a wildcard such as `*/status` grants the subresource, but not the object itself', () => {
    const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*/status', '*/finalizers'] };

    expect(missing(DEMO, { demo: [rule] }).map(([, text]) => text)).not.toContain(
      'patch widgets.example.com/status in namespace demo',
    );
    expect(missing(DEMO, { demo: [rule] })).toHaveLength(4);
  });

  test('a rule with a resource name grants only that object, and the name `*` is no wildcard', () => {
    const rule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] };
    const withNames = (...resourceNames: string[]) =>
      missing(DEMO, { demo: [{ ...rule, resourceNames }] }).some(([, text]) =>
        text?.includes('secrets'),
      );

    expect([withNames(), withNames('key'), withNames('other'), withNames('*')]).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test('a permission for all objects is reported as missing even if several rules grant it for some names', () => {
    const rule = { verbs: ['*'], apiGroups: ['example.com'], resources: ['widgets'] };
    const rules = ['a', 'b'].map((name) => ({ ...rule, resourceNames: [name] }));

    expect(missing(DEMO, { demo: rules })[0]?.[1]).toMatch(/^get, list, watch, patch widgets/);
  });

  test('missing permissions for leader election and for definitions are reported without a controller', () => {
    const placement = {
      ...DEMO,
      leaderElection: { namespace: 'ops', leaseName: 'us' },
      installCrds: true,
    };

    const texts = missing(placement, { demo: [EVERYTHING] });

    expect(texts).toEqual([
      ['Role', 'create leases.coordination.k8s.io in namespace ops', 'leader election'],
      ['Role', 'get, update leases.coordination.k8s.io "us" in namespace ops', 'leader election'],
      ['Role', 'create events.events.k8s.io in namespace ops', 'leader election'],
    ]);
  });

  test('the permission to read `/version` can be missing, although everyone has it by default', () => {
    const found = missingAccess(neededAccess(requiredAccess([widget], DEMO)), () => ({
      resourceRules: [EVERYTHING],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/apis'] }],
    }));

    expect(missingRules(found)).toMatchObject([
      {
        kind: 'ClusterRole',
        rule: { nonResourceURLs: ['/version'], verbs: ['get'] },
        neededBy: [{ reason: 'probe' }],
      },
      {
        rule: { nonResourceURLs: ['/apis/example.com/v1'], verbs: ['get'] },
        neededBy: [{ controller: 'widget', reason: 'discovery' }],
      },
    ]);
  });
});

describe('the list of needed permissions', () => {
  test('a permission for one object or namespace is merged with the same permission for all', () => {
    const base = { resource: configMaps, subresource: undefined, verbs: ['get'] as const };

    const rights = requiredRights([
      { ...base, namespace: 'demo', resourceNames: ['a'], controller: 'one', reason: 'permission' },
      { ...base, namespace: 'demo', controller: 'two', reason: 'source' },
      { ...base, namespace: undefined, controller: 'three', reason: 'source' },
    ]);

    expect(rights).toMatchObject([
      {
        namespace: undefined,
        name: undefined,
        neededBy: [
          { controller: 'three', reason: 'source' },
          { controller: 'one', reason: 'permission' },
          { controller: 'two', reason: 'source' },
        ],
      },
    ]);
  });
});

test('a rule is printed as YAML in which every string is read back as a string', () => {
  const rule = {
    apiGroups: [''],
    resources: ['*', 'pods/log'],
    resourceNames: ['123', 'on', '2026-01-01'],
    verbs: ['get'],
  };

  expect(ruleYaml(rule)).toBe(
    '{ apiGroups: [""], resources: ["*", pods/log], resourceNames: ["123", "on", "2026-01-01"], verbs: [get] }',
  );
});

describe('which permissions are reported as excessive', () => {
  const reader = controller({
    name: 'reader',
    for: source(pods),
    permissions: [{ resource: secrets, verbs: ['get'], resourceNames: ['key'] }],
    reconcile: async () => {},
  });

  function beyond(demo: readonly ResourceRule[], everywhere: readonly ResourceRule[] = []) {
    const granted = new Map([
      [undefined, { ...NOTHING, resourceRules: everywhere }],
      // Rules of the whole cluster are in the answer for every namespace.
      ['demo', { ...NOTHING, resourceRules: [...everywhere, ...demo] }],
    ]);
    return excessRules(requiredRights(requiredAccess([reader], DEMO)), granted).map(
      ({ namespace, rule, kind }) => [namespace ?? 'everywhere', kind, ruleYaml(rule)],
    );
  }

  test('no permission is excessive if only declared permissions are granted', () => {
    const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] };
    const key = { apiGroups: [''], resources: ['secrets'], resourceNames: ['key'], verbs: ['get'] };

    expect(beyond([rule, key, { ...rule, resourceNames: ['a'] }])).toEqual([]);
  });

  test('a wildcard is always reported as excessive', () => {
    const rule = { apiGroups: [''], resources: ['pods'], verbs: ['*'] };

    expect(beyond([rule])).toEqual([
      ['demo', 'wildcard', '{ apiGroups: [""], resources: [pods], verbs: ["*"] }'],
    ]);
  });

  test('each additional verb and resource is reported as excessive, and access to other credentials is reported first', () => {
    const rule = { apiGroups: [''], resources: ['pods', 'secrets'], verbs: ['get', 'delete'] };
    const bind = { apiGroups: ['x'], resources: ['roles'], verbs: ['bind'] };

    expect(beyond([rule, bind]).map(([, kind, text]) => [kind, text])).toEqual([
      ['undeclared', '{ apiGroups: [""], resources: [pods], verbs: [delete] }'],
      ['secrets', '{ apiGroups: [""], resources: [secrets], verbs: [get] }'],
      ['secrets', '{ apiGroups: [""], resources: [secrets], verbs: [delete] }'],
      ['escalation', '{ apiGroups: ["x"], resources: [roles], verbs: [bind] }'],
    ]);
  });

  test('a permission in all namespaces that is needed in only one namespace is reported as excessive once', () => {
    const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

    expect(beyond([], [rule])).toEqual([
      ['everywhere', 'undeclared', '{ apiGroups: [""], resources: [pods], verbs: [get] }'],
    ]);
  });

  test('a permission in all namespaces that is not needed at all is reported as excessive once', () => {
    const rule = { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] };

    expect(beyond([], [rule]).map(([place]) => place)).toEqual(['everywhere']);
  });

  test('the permissions that let all users review their own access do not count as excessive', () => {
    const self = {
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      verbs: ['create'],
    };

    expect(beyond([], [self])).toEqual([]);
  });
});
