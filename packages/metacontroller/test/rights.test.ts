/** The rules that follow from controllers, as the roles of `chancery generate` have them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Placement } from '../../../operator/access/placement.ts';
import { type RoleRule, rbac } from '../../../operator/access/rbac.ts';
import { accessOf } from '../../../operator/access/required-access.ts';
import { knownKinds } from '../../../operator/model/known-kinds.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { ApiError } from '../../../operator/model/status.ts';
import type { ControllerFunctions } from '../src/call/functions-file.ts';
import { InvalidSpecError, parseController } from '../src/parse/parse-controller.ts';
import type { AccessSurroundings } from '../src/rights/controller-access.ts';
import { metacontrollerAccess } from '../src/rights/metacontroller-access.ts';
import { refusedRule, ruleToAdd } from '../src/rights/missing-rule.ts';
import type { ControllerSpec } from '../src/spec.ts';

function definition(plural: string, scope: string, subresources: object = { status: {} }) {
  return {
    kind: 'CustomResourceDefinition',
    spec: {
      group: 'loom.example',
      scope,
      names: { plural, kind: plural.slice(0, -1) },
      versions: [{ name: 'v1', served: true, subresources }],
    },
  };
}

const KNOWN = knownKinds([
  definition('looms', 'Namespaced'),
  definition('halls', 'Cluster'),
  definition('plans', 'Namespaced', {}),
]);

const SURROUNDINGS: AccessSurroundings = {
  resolve: ({ apiVersion, resource }) => KNOWN.ofReference(resource, apiVersion),
  hasStatus: KNOWN.hasStatus,
  functions: undefined,
  ownNamespace: 'own',
  applyStrategy: 'dynamic-apply',
};

const PLACEMENT: Placement = { namespaces: undefined };

function object(kind: string, name: string, spec: object, annotations = {}): KubernetesObject {
  const metadata = { name, annotations };
  return { apiVersion: 'metacontroller.k8s.io/v1alpha1', kind, metadata, spec } as KubernetesObject;
}

function composite(spec: object = {}, annotations = {}): ControllerSpec {
  const parentResource = { apiVersion: 'loom.example/v1', resource: 'looms' };
  return parseController(
    object('CompositeController', 'looms', { parentResource, ...spec }, annotations),
  );
}

function decorator(spec: object = {}): ControllerSpec {
  const resources = [{ apiVersion: 'apps/v1', resource: 'statefulsets' }];
  return parseController(object('DecoratorController', 'gates', { resources, ...spec }));
}

function child(resource: string, method: string, apiVersion = 'v1') {
  return { apiVersion, resource, updateStrategy: { method } };
}

/** The rules by their place: `namespace: verbs group/resource names`. Without those that every operator has. */
function rulesOf(
  specs: readonly ControllerSpec[],
  surroundings: Partial<AccessSurroundings> = {},
  placement: Placement = PLACEMENT,
): string[] {
  const { declarations, unknown } = metacontrollerAccess(specs, {
    ...SURROUNDINGS,
    ...surroundings,
  });
  expect(unknown).toEqual([]);
  const serviceAccount = { name: 'op', namespace: 'own' };
  const roles = rbac(declarations, { ...placement, name: 'op', serviceAccount });
  return roles
    .flatMap((role) =>
      'rules' in role
        ? role.rules.flatMap((rule) => linesOf(role.metadata.namespace ?? '*', rule))
        : [],
    )
    .filter((line) => !line.includes(' metacontroller.k8s.io/') || line.includes('revisions'))
    .filter((line) => !line.includes('events.k8s.io/'))
    .sort();
}

function linesOf(
  place: string,
  { apiGroups: [group], resources, resourceNames = [], verbs }: RoleRule,
) {
  return resources.map((resource) =>
    [`${place}:`, verbs.join(','), `${group}/${resource}`, ...resourceNames].join(' '),
  );
}

const LOOM_RULES = [
  '*: get apiextensions.k8s.io/customresourcedefinitions looms.loom.example',
  '*: get,list,watch,patch loom.example/looms',
  '*: patch loom.example/looms/status',
];
const OWNER = '*: update loom.example/looms/finalizers';

describe('the permissions of a CompositeController', () => {
  test('a CompositeController without children needs permissions only for its parents and their definition', () => {
    expect(rulesOf([composite()])).toEqual(LOOM_RULES);
  });

  test.each([
    'OnDelete',
    'Recreate',
    'InPlace',
  ])("children with the method %s need permissions to create, patch and delete them, and to update the owner's finalizers", (method) => {
    expect(rulesOf([composite({ childResources: [child('services', method)] })])).toEqual(
      ['*: get,list,watch,create,patch,delete /services', ...LOOM_RULES, OWNER].sort(),
    );
  });

  test.each([
    'RollingRecreate',
    'RollingInPlace',
  ])('children with the method %s need permissions for ControllerRevisions in the namespaces of their parents', (method) => {
    const childResources = [child('configmaps', 'OnDelete'), child('pods', method)];

    expect(rulesOf([composite({ childResources })])).toEqual(
      [
        '*: get,list,watch,create,patch,delete /configmaps',
        '*: get,list,watch,create,patch,delete /pods',
        '*: get,list,watch,create,patch,delete metacontroller.k8s.io/controllerrevisions',
        ...LOOM_RULES,
        OWNER,
      ].sort(),
    );
  });

  test("cluster-scoped parents need permissions for ControllerRevisions in the operator's namespace", () => {
    const parentResource = { apiVersion: 'loom.example/v1', resource: 'halls' };
    const spec = composite({ parentResource, childResources: [child('pods', 'RollingInPlace')] });

    expect(rulesOf([spec]).filter((line) => line.includes('revisions'))).toEqual([
      'own: get,list,watch,create,patch,delete metacontroller.k8s.io/controllerrevisions',
    ]);
  });

  test('related resources of the annotation and of the file need only read permissions', () => {
    const functions = mounted({
      related: [
        { apiVersion: 'v1', resource: 'nodes' },
        { apiVersion: 'v1', resource: 'secrets' },
      ],
    });
    const spec = composite(
      {},
      { 'metacontroller.chancery.dev/related-resources': 'v1/secrets,loom.example/v1/plans' },
    );

    expect(rulesOf([spec], { functions })).toEqual(
      [
        '*: get,list,watch /nodes',
        '*: get,list,watch /secrets',
        '*: get,list,watch loom.example/plans',
        ...LOOM_RULES,
      ].sort(),
    );
  });

  test('a CompositeController has no permissions in namespaces that the operator does not watch', () => {
    const spec = composite({ childResources: [child('pods', 'RollingInPlace')] });

    const rules = rulesOf([spec], {}, { namespaces: ['east', 'west'] });

    expect(rules.filter((line) => line.startsWith('*:'))).toEqual([
      '*: get apiextensions.k8s.io/customresourcedefinitions looms.loom.example',
    ]);
    expect(new Set(rules.map((line) => line.split(':')[0]))).toEqual(
      new Set(['*', 'east', 'west']),
    );
  });
});

describe('the permissions of a DecoratorController', () => {
  test('a DecoratorController may patch its objects, and their status if it is a subresource', () => {
    const resources = [
      { apiVersion: 'apps/v1', resource: 'statefulsets' },
      { apiVersion: 'v1', resource: 'configmaps' },
      { apiVersion: 'loom.example/v1', resource: 'plans' },
      { apiVersion: 'loom.example/v1', resource: 'halls' },
    ];

    expect(rulesOf([decorator({ resources })])).toEqual([
      '*: get apiextensions.k8s.io/customresourcedefinitions halls.loom.example plans.loom.example',
      '*: get,list,watch,patch /configmaps',
      '*: get,list,watch,patch apps/statefulsets',
      '*: get,list,watch,patch loom.example/halls',
      '*: get,list,watch,patch loom.example/plans',
      '*: patch apps/statefulsets/status',
      '*: patch loom.example/halls/status',
    ]);
  });

  test('a DecoratorController may not patch attachments with OnDelete, and has no permissions for ControllerRevisions', () => {
    const attachments = [
      child('services', 'OnDelete'),
      child('secrets', 'RollingRecreate'),
      child('configmaps', 'RollingInPlace'),
    ];

    expect(rulesOf([decorator({ attachments })])).toEqual([
      '*: get,list,watch,create,delete /services',
      '*: get,list,watch,create,patch,delete /configmaps',
      '*: get,list,watch,create,patch,delete /secrets',
      '*: get,list,watch,patch apps/statefulsets',
      '*: patch apps/statefulsets/status',
      '*: update apps/statefulsets/finalizers',
    ]);
  });

  test('with server-side apply, a DecoratorController may patch all attachments', () => {
    const attachments = [child('services', 'OnDelete')];

    expect(rulesOf([decorator({ attachments })], { applyStrategy: 'server-side-apply' })).toContain(
      '*: get,list,watch,create,patch,delete /services',
    );
  });
});

describe('the Secrets and ConfigMaps of webhooks', () => {
  const ref = (name: string, namespace: string) => ({ name, namespace, key: 'k' });
  const webhook = (fields: object) => ({ webhook: { url: 'https://a.example', ...fields } });
  const hooks = {
    sync: webhook({
      caBundle: { configMapRef: ref('ca', 'vault') },
      clientTLS: { secretRef: ref('mine', 'vault') },
      authorization: { secretRef: ref('token', 'crypt') },
    }),
    finalize: webhook({ basicAuth: { secretRef: ref('token', 'crypt') } }),
    customize: webhook({}),
  };
  const endpointConfigs = [{ host: 'a.example', caBundle: { secretRef: ref('other', 'vault') } }];

  test('[metacontroller M11] only the Secrets and ConfigMaps that webhooks use can be read, each in its namespace', () => {
    expect(rulesOf([composite({ hooks, endpointConfigs })])).toEqual(
      [
        ...LOOM_RULES,
        'crypt: get,list,watch /secrets token',
        'vault: get,list,watch /configmaps ca',
        'vault: get,list,watch /secrets mine other',
      ].sort(),
    );
  });

  test('Secrets and ConfigMaps of a webhook cannot be read if a program or a module serves the hook', () => {
    const entry = { run: { exec: ['a'] as const }, folder: '/', timeoutMs: 1, version: undefined };
    const functions = mounted({ hooks: { sync: entry, customize: entry } });

    expect(rulesOf([composite({ hooks, endpointConfigs })], { functions })).toEqual(
      [...LOOM_RULES, 'crypt: get,list,watch /secrets token'].sort(),
    );
  });

  test('Secrets and ConfigMaps of webhooks add no permissions for Events in their namespaces', () => {
    const { declarations } = metacontrollerAccess([composite({ hooks })], SURROUNDINGS);

    const places = accessOf(declarations, { namespaces: ['east'] })
      .filter(({ resource }) => resource.plural === 'events')
      .map(({ namespace }) => namespace);

    expect(places).toEqual(['default', 'east']);
  });
});

test('the operator itself needs permissions for its two kinds, their status and Events', () => {
  const { declarations } = metacontrollerAccess([], SURROUNDINGS);
  const serviceAccount = { name: 'op', namespace: 'own' };

  const roles = rbac(declarations, { ...PLACEMENT, name: 'op', serviceAccount });

  const rules = roles.flatMap((role) => ('rules' in role ? role.rules : []));
  expect(rules.flatMap((rule) => linesOf('*', rule))).toEqual([
    '*: get,list,watch metacontroller.k8s.io/compositecontrollers',
    '*: get,list,watch metacontroller.k8s.io/decoratorcontrollers',
    '*: patch metacontroller.k8s.io/compositecontrollers/status',
    '*: patch metacontroller.k8s.io/decoratorcontrollers/status',
    '*: create,patch events.k8s.io/events',
  ]);
});

test.each([
  { apiVersion: 'v1', resource: '*' },
  { apiVersion: '*', resource: 'pods' },
  { apiVersion: 'apps/*', resource: 'deployments' },
])('[metacontroller M11] the wildcard %j in the file of functions is refused', (reference) => {
  const functions = mounted({ related: [reference] });

  expect(() => rulesOf([composite()], { functions })).toThrow(InvalidSpecError);
  expect(() => rulesOf([composite()], { functions })).toThrow(
    /related of compositecontroller\/looms.*a wildcard is refused/,
  );
});

test('an unknown resource is reported, and the permissions for the other resources are declared', () => {
  const spec = composite({
    childResources: [child('threads', 'InPlace', 'loom.example/v1'), child('pods', 'InPlace')],
  });

  const { declarations, unknown } = metacontrollerAccess([spec, spec], SURROUNDINGS);

  expect(unknown).toEqual(['compositecontroller/looms: threads in loom.example/v1']);
  expect(JSON.stringify(accessOf(declarations, PLACEMENT))).toContain('"pods"');
});

const METHODS = ['OnDelete', 'Recreate', 'InPlace', 'RollingRecreate', 'RollingInPlace'];

/** Any controller of a few resources, so that several often have some in common. */
const specs = fc
  .record({
    kind: fc.constantFrom('CompositeController', 'DecoratorController'),
    name: fc.constantFrom('a', 'b', 'c'),
    parents: fc.uniqueArray(fc.constantFrom('looms', 'halls', 'plans'), { minLength: 1 }),
    children: fc.uniqueArray(
      fc.tuple(fc.constantFrom('pods', 'secrets', 'nodes'), fc.constantFrom(...METHODS)),
      { selector: ([resource]) => resource },
    ),
    secrets: fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('s', 't'),
        namespace: fc.constantFrom('east', 'vault'),
        key: fc.constant('k'),
      }),
      { maxLength: 2 },
    ),
    related: fc.subarray(['v1/secrets', 'v1/configmaps', 'loom.example/v1/plans']),
  })
  .map(({ kind, name, parents, children, secrets: [ca, token], related }) => {
    const resources = parents.map((resource) => ({ apiVersion: 'loom.example/v1', resource }));
    const types = children.map(([resource, method]) => child(resource, method));
    const webhook = {
      url: 'https://a.example',
      ...(ca && { caBundle: { secretRef: ca } }),
      ...(token && { authorization: { secretRef: token } }),
    };
    const own =
      kind === 'CompositeController'
        ? { parentResource: resources[0], childResources: types }
        : { resources, attachments: types };
    return parseController(
      object(
        kind,
        name,
        { ...own, hooks: { sync: { webhook } } },
        { 'metacontroller.chancery.dev/related-resources': related.join(',') },
      ),
    );
  });

const placements = fc.constantFrom<Placement>(
  { namespaces: undefined },
  { namespaces: ['east'] },
  { namespaces: ['east', 'own'] },
);

/** Each single right: a verb on a resource in a place, for a name or for all. */
function rights(given: readonly ControllerSpec[], placement: Placement): Set<string> {
  const { declarations } = metacontrollerAccess(given, SURROUNDINGS);
  return new Set(
    accessOf(declarations, placement).flatMap(
      ({ resource, subresource = '', namespace = '*', verbs, resourceNames = ['*'] }) =>
        verbs.flatMap((verb) =>
          resourceNames.map((name) =>
            [namespace, verb, resource.group, resource.plural, subresource, name].join('|'),
          ),
        ),
    ),
  );
}

/** Without what a wider right covers. */
function widest(all: ReadonlySet<string>): string[] {
  const wider = (right: string) => {
    const [place, verb, group, plural, subresource, name] = right.split('|');
    const forms = [
      [place, verb, group, plural, subresource, '*'],
      ['*', verb, group, plural, subresource, name],
      ['*', verb, group, plural, subresource, '*'],
    ];
    return forms.map((form) => form.join('|')).filter((form) => form !== right);
  };
  return [...all].filter((right) => !wider(right).some((form) => all.has(form))).sort();
}

test('[security 51] [metacontroller M11] the permissions of several controllers together are exactly the union of their permissions', () => {
  fc.assert(
    fc.property(fc.array(specs, { maxLength: 4 }), placements, (several, placement) => {
      const apart = several.map((spec) => rights([spec], placement));
      const union = new Set([...rights([], placement), ...apart.flatMap((each) => [...each])]);

      expect(widest(rights(several, placement))).toEqual(widest(union));
    }),
  );
});

test('[metacontroller M11] no rule has a wildcard, and no Secret can be read unless its name is declared', () => {
  fc.assert(
    fc.property(specs, placements, (spec, placement) => {
      const all = [...rights([spec], placement)].map((right) => right.split('|'));
      const declared = JSON.stringify(spec).match(/"resource":"secrets"/) !== null;
      const open = all.filter(
        ([, , group, plural, , name]) => `${group}/${plural}/${name}` === '/secrets/*',
      );

      expect(all.filter(([, verb, group, plural]) => [verb, group, plural].includes('*'))).toEqual(
        [],
      );
      expect(open.length > 0).toBe(declared);
    }),
  );
});

describe('a refusal of the API server', () => {
  const refused = (message: string, status = 403) =>
    refusedRule(new ApiError({ message, reason: 'Forbidden', code: status }));

  test.each([
    [
      'pods is forbidden: User "system:serviceaccount:own:op" cannot list resource "pods" in API group "" at the cluster scope',
      'add to a ClusterRole: - { apiGroups: [""], resources: [pods], verbs: [list] }',
    ],
    [
      'looms.loom.example "a" is forbidden: User "u" cannot patch resource "looms/status" in API group "loom.example" in the namespace "east"',
      'add to a Role in namespace east: - { apiGroups: ["loom.example"], resources: [looms/status], verbs: [patch] }',
    ],
  ])('the missing rule can be derived from the refusal %s of the API server', (message, text) => {
    const rule = refused(message);

    expect(rule === undefined ? undefined : ruleToAdd(rule)).toBe(text);
  });

  test.each([
    ['by a webhook', refused('admission webhook "a" denied the request')],
    ['with the status 409', refused('User "u" cannot list resource "pods" in API group ""', 409)],
    [
      'that is not an answer of the API server',
      refusedRule(new Error('cannot list resource "pods" in API group ""')),
    ],
  ])('no missing rule can be derived from the refusal %s', (_, rule) => {
    expect(rule).toBeUndefined();
  });
});

function mounted(given: Partial<ControllerFunctions>): AccessSurroundings['functions'] {
  const own = { kind: 'CompositeController', name: 'looms', hooks: {}, related: [] } as const;
  return {
    functionsFor: (kind, name) =>
      kind === own.kind && name === own.name ? { ...own, ...given } : undefined,
  };
}
