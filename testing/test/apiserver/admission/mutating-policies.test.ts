import { describe, expect, test } from 'vitest';
import type { ApiServer } from '../../../src/apiserver/api-server.ts';
import { CONFIG_MAPS, configMap, startCluster } from '../support/cluster.ts';
import { configuration, patchOf, startWebhook, webhook } from '../support/webhook-server.ts';

const ADMISSION = 'admissionregistration.k8s.io/v1';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

interface Policy {
  readonly name?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly operations?: readonly string[];
  readonly spec?: object;
  readonly binding?: object;
}

/** Installs a policy with the given mutations, and a binding of the same name. */
function mutate(
  server: ApiServer,
  mutations: readonly object[],
  {
    name = 'p',
    group = '',
    resource = 'configmaps',
    operations = ['CREATE', 'UPDATE'],
    ...more
  }: Policy = {},
): void {
  const rule = { apiGroups: [group], apiVersions: ['v1'], operations, resources: [resource] };
  server.create({
    apiVersion: ADMISSION,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      reinvocationPolicy: 'Never',
      mutations,
      ...more.spec,
    },
  } as never);
  server.create({
    apiVersion: ADMISSION,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, ...more.binding },
  } as never);
}

const apply = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});

const jsonPatch = (expression: string): object => ({
  patchType: 'JSONPatch',
  jsonPatch: { expression },
});

function deployment(name: string): object {
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
  };
  return {
    metadata: { name },
    spec: { replicas: 2, selector: { matchLabels: { app: name } }, template },
  };
}

describe('[admission 5] a MutatingAdmissionPolicy', () => {
  test('a mutating policy sets defaults on a create, and changes nothing when it runs again', async () => {
    const { server, send } = await startCluster();
    mutate(server, [
      apply(`
        has(object.metadata.labels) && 'team' in object.metadata.labels
          ? Object{}
          : Object{metadata: Object.metadata{labels: {'team': request.userInfo.username}}}`),
    ]);

    const created = await send('POST', CONFIG_MAPS, configMap('a', { labels: { own: 'x' } }));
    const again = await send('PATCH', `${CONFIG_MAPS}/a`, { metadata: { labels: { own: 'x' } } });

    expect(created.body.metadata.labels).toEqual({ own: 'x', team: 'kubernetes-admin' });
    expect(again.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
  });

  test('a mutating policy merges lists by their keys, as server-side apply does', async () => {
    const { server, send } = await startCluster();
    mutate(
      server,
      [
        apply(`Object{
          spec: Object.spec{
            template: Object.spec.template{
              spec: Object.spec.template.spec{
                // beside those of the Deployment
                containers: [
                  Object.spec.template.spec.containers{name: "side", image: 'busybox:1'},
                  Object.spec.template.spec.containers{
                    name: 'main',
                    env: [Object.spec.template.spec.containers.env{name: "A", value: "{not: a literal}"}]
                  }
                ]
              }
            }
          }
        }`),
      ],
      { group: 'apps', resource: 'deployments' },
    );

    const { status, body } = await send('POST', DEPLOYMENTS, deployment('a'));

    expect(status).toBe(201);
    const { containers } = body.spec.template.spec;
    expect(containers).toMatchObject([
      { name: 'side', image: 'busybox:1' },
      { name: 'main', image: 'nginx:1', env: [{ name: 'A', value: '{not: a literal}' }] },
    ]);
    expect(body.spec.replicas).toBe(2);
  });

  test('a mutating policy removes and replaces values with a JSON patch and escaped keys', async () => {
    const { server, send } = await startCluster();
    mutate(server, [
      jsonPatch(`
        [JSONPatch{op: "test", path: "/data/mode", value: "old"},
         JSONPatch{op: "remove", path: "/data/mode"},
         JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("a.example/x_y"), value: "1"}]`),
    ]);
    const annotations = { kept: 'yes' };

    const old = await send('POST', CONFIG_MAPS, configMap('a', { annotations }, { mode: 'old' }));
    const other = await send('POST', CONFIG_MAPS, configMap('b', { annotations }, { mode: 'x' }));

    expect(old.body.message).toBeUndefined();
    expect(old.body).not.toHaveProperty('data');
    expect(old.body.metadata.annotations).toEqual({ kept: 'yes', 'a.example/x_y': '1' });
    expect([other.status, other.body.data]).toEqual([201, { mode: 'x' }]);
    expect(other.body.metadata.annotations).toEqual({ kept: 'yes' });
  });

  test('a mutating policy can put whole objects into a JSON patch', async () => {
    const { server, send } = await startCluster();
    mutate(
      server,
      [
        jsonPatch(`[JSONPatch{
          op: "add",
          path: "/spec/template/spec/containers/-",
          value: Object.spec.template.spec.containers{name: "s", image: "b:" + string(object.spec.replicas)}
        }]`),
      ],
      { group: 'apps', resource: 'deployments' },
    );

    const { body } = await send('POST', DEPLOYMENTS, deployment('a'));

    expect(body.spec.template.spec.containers).toMatchObject([
      { name: 'main' },
      { name: 's', image: 'b:2' },
    ]);
  });

  test('a mutating policy can use conditions, variables, parameters and optional fields', async () => {
    const { server, send } = await startCluster();
    server.create(configMap('settings', {}, { suffix: '-prod' }));
    mutate(
      server,
      [
        apply(
          `Object{metadata: Object.metadata{labels: {"name": variables.full}, ?generateName: optional.none()}}`,
        ),
      ],
      {
        spec: {
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          variables: [{ name: 'full', expression: 'object.metadata.name + params.data.suffix' }],
          matchConditions: [{ name: 'named', expression: "object.metadata.name.startsWith('a')" }],
        },
        binding: {
          paramRef: { name: 'settings', namespace: 'default', parameterNotFoundAction: 'Deny' },
        },
      },
    );

    const named = await send('POST', CONFIG_MAPS, configMap('ab'));
    const other = await send('POST', CONFIG_MAPS, configMap('b'));

    expect(named.body.metadata.labels).toEqual({ name: 'ab-prod' });
    expect(other.body.metadata).not.toHaveProperty('labels');
  });

  test.each([
    [
      'a literal in the wrong place',
      apply('Object{data: Object.spec{a: "b"}}'),
      'type mismatch: unexpected type name "Object.spec", expected "Object.data", which matches field name path from root Object type',
    ],
    [
      'a field that does not exist',
      apply('Object{data: {"a": object.none.x}}'),
      `expression 'Object{data: {"a": object.none.x}}' resulted in error: no such key: none`,
    ],
    [
      'a field that is missing in the schema',
      apply('Object{nothing: 1}'),
      'error applying patch: failed to convert patch object to typed object: .nothing: field not declared in schema',
    ],
    [
      'a path that does not exist',
      jsonPatch('[JSONPatch{op: "remove", path: "/data/none"}]'),
      "JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
    ],
  ])('with %s in a mutating policy, a write is refused, unless the failurePolicy is Ignore', async (_what, mutation, words) => {
    const closed = await startCluster();
    mutate(closed.server, [mutation]);
    const open = await startCluster();
    mutate(open.server, [mutation], { spec: { failurePolicy: 'Ignore' } });

    const refused = await closed.send('POST', CONFIG_MAPS, configMap('a'));
    const passed = await open.send('POST', CONFIG_MAPS, configMap('a'));

    const message = `policy 'p' with binding 'p' denied request: ${words}`;
    expect(refused.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'Invalid',
      details: { name: 'a', kind: 'configmaps', causes: [{ message }] },
      code: 403,
    });
    expect([passed.status, passed.body.data]).toEqual([201, { k: 'v' }]);
  });

  test('a mutating policy cannot set atomic lists', async () => {
    const { server, send } = await startCluster();
    mutate(
      server,
      [
        apply(`Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{
          containers: [Object.spec.template.spec.containers{name: "main", args: ["x"]}]}}}}`),
      ],
      { group: 'apps', resource: 'deployments' },
    );

    const { body } = await send('POST', DEPLOYMENTS, deployment('a'));

    expect(body.message).toContain(
      'invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.template.spec.containers[0].args',
    );
  });

  test('[admission 8] a mutating policy with IfNeeded runs again after a later policy has changed the object', async () => {
    const { server, send } = await startCluster();
    const turn = (letter: string): object =>
      jsonPatch(
        `[JSONPatch{op: "add", path: "/data/turns", value: object.data[?"turns"].orValue("") + "${letter}"}]`,
      );
    const again = { spec: { reinvocationPolicy: 'IfNeeded' } };
    mutate(server, [turn('1')], { name: 'a', ...again });
    mutate(server, [turn('2')], { name: 'b' });

    const { body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(body.data?.turns).toBe('121');
  });

  test('a mutating policy that does not compile or has no mutation is refused', async () => {
    const { send } = await startCluster();
    const path = `/apis/${ADMISSION}/mutatingadmissionpolicies`;
    const rule = {
      operations: ['CREATE'],
      apiGroups: [''],
      apiVersions: ['v1'],
      resources: ['pods'],
    };
    const matchConstraints = { resourceRules: [rule] };
    const policy = (spec: object): object => ({
      metadata: { name: 'p' },
      spec: { matchConstraints, ...spec },
    });

    const broken = await send(
      'POST',
      path,
      policy({ reinvocationPolicy: 'Never', mutations: [apply('Object{a: }')] }),
    );
    const empty = await send('POST', path, policy({ mutations: [] }));

    expect(broken.body.details.causes[0].field).toBe(
      'spec.mutations[0].applyConfiguration.expression',
    );
    expect(empty.body.details.causes.map((one: { field: string }) => one.field)).toEqual([
      'spec.mutations',
      'spec.reinvocationPolicy',
    ]);
  });
});

test('[F-18] [admission 8] an object goes through mutating policies, mutating webhooks, its schema, validating policies and webhooks in order', async () => {
  const { server, send } = await startCluster();
  server.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'foos.a.example' },
    spec: {
      group: 'a.example',
      scope: 'Namespaced',
      names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  required: ['by'],
                  properties: { by: { type: 'string', pattern: '^mh$' }, stop: { type: 'string' } },
                },
              },
            },
          },
        },
      ],
    },
  } as never);
  const rules = [
    { operations: ['CREATE'], apiGroups: ['a.example'], apiVersions: ['v1'], resources: ['foos'] },
  ];
  const seen: string[] = [];
  const hook = await startWebhook(({ object }) => {
    seen.push(`hook ${object.spec.by}`);
    return object.spec.stop === 'early'
      ? { allowed: true }
      : patchOf([{ op: 'replace', path: '/spec/by', value: `${object.spec.by}h` }]);
  });
  const last = await startWebhook(({ object }) => {
    seen.push(`last ${object.spec.by}`);
    return { allowed: false, status: { message: 'the last' } };
  });
  mutate(server, [apply('Object{spec: Object.spec{by: "m"}}')], {
    group: 'a.example',
    resource: 'foos',
    operations: ['CREATE'],
  });
  server.create(
    configuration('Mutating', 'w', [webhook('m.a.example', { url: hook.url }, { rules })]),
  );
  server.create(
    configuration('Validating', 'w', [webhook('v.a.example', { url: last.url }, { rules })]),
  );
  server.create({
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'vap' },
    spec: {
      matchConstraints: { resourceRules: rules },
      validations: [
        {
          expression: "object.spec.?stop.orValue('') != 'policy'",
          messageExpression: "'by ' + object.spec.by",
        },
      ],
    },
  } as never);
  server.create({
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'vap' },
    spec: { policyName: 'vap', validationActions: ['Deny'] },
  } as never);
  const foo = (stop: string): object => ({
    apiVersion: 'a.example/v1',
    kind: 'Foo',
    metadata: { name: stop },
    spec: { stop },
  });
  const path = '/apis/a.example/v1/namespaces/default/foos';

  const bySchema = await send('POST', path, foo('early'));
  const byPolicy = await send('POST', path, foo('policy'));
  const byWebhook = await send('POST', path, foo('webhook'));

  expect(bySchema.body.message).toContain('spec.by: Invalid value: "m"');
  expect(byPolicy.body.message).toMatch(/denied request: by mh$/);
  expect(byWebhook.body.message).toContain(
    'admission webhook "v.a.example" denied the request: the last',
  );
  expect(seen).toEqual(['hook m', 'hook m', 'hook m', 'last mh']);
});
