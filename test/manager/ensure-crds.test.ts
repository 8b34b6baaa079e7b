import type { TestEnv } from '@chancery/testing';
import { advanceUntil, FakeClock, startTestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { permissionsForCrds } from '../../operator/access/required-access.ts';
import type { Client } from '../../operator/client/client.ts';
import { connect } from '../../operator/client/connection.ts';
import { controller } from '../../operator/controller/controller.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';
import {
  type EnsureCrdOptions,
  ensureCrd,
  ensureCrds,
} from '../../operator/manager/crds/ensure-crds.ts';
import { configMaps, customResourceDefinitions } from '../../operator/model/builtin.ts';
import {
  type DefinedResource,
  withConversionClient,
} from '../../operator/model/custom-resource-definition.ts';
import type { OtherVersion } from '../../operator/schema/custom-resource.ts';
import {
  type CustomResource,
  conversion,
  crdYaml,
  customResource,
  Type,
} from '../../operator/schema.ts';
import { recordingLog } from '../support/recording-log.ts';

const NAME = 'websites.example.dev';

interface Release {
  readonly fields?: readonly string[];
  readonly version?: string;
  readonly others?: readonly OtherVersion[];
  readonly revision?: number;
  readonly scope?: 'Namespaced' | 'Cluster';
}

/** The resource as one release of an operator declares it. */
function release({
  fields = ['image'],
  version = 'v1',
  others = [],
  revision,
  scope = 'Namespaced',
}: Release = {}): DefinedResource {
  return customResource({
    group: 'example.dev',
    version,
    kind: 'Website',
    scope,
    spec: Type.Object(
      Object.fromEntries(fields.map((field) => [field, Type.Optional(Type.String())])),
    ),
    otherVersions: others,
    ...(revision === undefined ? {} : { revision }),
  });
}

const OLD = release();
const NEW = release({ fields: ['image', 'tag'] });

interface World {
  readonly env: TestEnv;
  readonly options: EnsureCrdOptions;
  readonly lines: ReturnType<typeof recordingLog>['lines'];
  clientOf(user: string, fieldManager?: string): Promise<Client>;
  live(): Promise<LiveState>;
}

interface LiveState {
  readonly metadata: { readonly resourceVersion: string; readonly annotations?: object };
  readonly fields: readonly string[];
  readonly versions: readonly string[];
}

async function world(authorization: 'RBAC' | 'AlwaysAllow' = 'AlwaysAllow'): Promise<World> {
  const env = await startTestEnv({
    backend: 'embedded',
    embedded: { authorization, workloads: false },
  });
  onTestFinished(() => env.stop());
  const { logFor, lines } = recordingLog();
  const stop = new AbortController();
  return {
    env,
    lines,
    options: { clock: systemClock, signal: stop.signal, log: logFor({}) },
    async clientOf(user, fieldManager = 'website-operator') {
      const connection = connect(await env.server.urlFor(user), { clock: systemClock });
      onTestFinished(() => connection.close());
      return connection.clientFor(fieldManager);
    },
    async live() {
      const object = env.server.get(
        'apiextensions.k8s.io/v1',
        'CustomResourceDefinition',
        undefined,
        NAME,
      ) as never as DefinedResource['definition'];
      const versions = object.spec.versions;
      const spec = versions[0]?.schema.openAPIV3Schema.properties?.spec;
      return {
        metadata: object.metadata as never,
        fields: Object.keys(spec?.properties ?? {}),
        versions: versions.map(({ name }) => name),
      };
    },
  };
}

function grant(env: TestEnv, user: string, rules: readonly object[]): void {
  const group = 'rbac.authorization.k8s.io';
  env.server.create({
    apiVersion: `${group}/v1`,
    kind: 'ClusterRole',
    metadata: { name: user },
    rules,
  } as never);
  env.server.create({
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: user },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: user },
    subjects: [{ apiGroup: group, kind: 'User', name: user }],
  } as never);
}

const CRDS = {
  apiGroups: ['apiextensions.k8s.io'],
  resources: ['customresourcedefinitions'],
};

function writes(env: TestEnv): number {
  const reads = ['get', 'list'];
  return env.requests.of().filter(({ verb }) => !reads.includes(verb)).length;
}

test('an absent definition is installed, and served when it is done', async () => {
  const { env, options, clientOf, lines } = await world();
  const client = await clientOf('operator');

  const outcome = await ensureCrd(client, OLD, options);
  const objects = await client.list(OLD);

  expect(outcome).toBe('installed');
  expect(objects).toEqual([]);
  expect(lines).toContainEqual(
    expect.objectContaining({ message: 'definition established', level: 'info' }),
  );
  expect(writes(env)).toBe(1);
});

test('a definition that is the same is not written', async () => {
  const { env, options, clientOf, live } = await world();
  const client = await clientOf('operator');
  await ensureCrd(client, OLD, options);
  const before = await live();
  const written = writes(env);

  const outcome = await ensureCrd(client, OLD, options);

  expect(outcome).toBe('unchanged');
  expect(await live()).toEqual(before);
  expect(writes(env)).toBe(written);
});

test('a definition that somebody else applied, and that is the same, is not written either', async () => {
  const { env, options, clientOf } = await world();
  await env.apply(OLD.definition);

  const outcome = await ensureCrd(await clientOf('operator'), OLD, options);

  expect(outcome).toBe('unchanged');
  expect(writes(env)).toBe(0);
});

test('a definition that differs is upgraded, also by a version', async () => {
  const { options, clientOf, live } = await world();
  const client = await clientOf('operator');
  await ensureCrd(client, OLD, options);
  const v2 = release({ version: 'v2', others: [{ version: 'v1', spec: Type.Object({}) }] });

  const first = await ensureCrd(client, NEW, options);
  const { fields } = await live();
  const second = await ensureCrd(client, v2, options);

  expect([first, second]).toEqual(['upgraded', 'upgraded']);
  expect(fields).toEqual(['image', 'tag']);
  expect(await live()).toMatchObject({ versions: ['v2', 'v1'] });
  expect(await client.list(v2)).toEqual([]);
});

test('an old replica that starts again during an update leaves the new definition alone', async () => {
  const { options, clientOf, live, lines } = await world();
  const [before, after] = [await clientOf('a'), await clientOf('b')];
  await ensureCrd(before, OLD, options);
  await ensureCrd(after, NEW, options);

  const outcome = await ensureCrd(before, OLD, options);

  expect(outcome).toBe('kept');
  expect(await live()).toMatchObject({ fields: ['image', 'tag'] });
  expect(lines).toContainEqual(
    expect.objectContaining({ message: 'a newer definition is installed, and kept' }),
  );
});

test('of two revisions the higher one stays, whoever comes first', async () => {
  const { options, clientOf, live } = await world();
  const client = await clientOf('operator');
  const first = release({ fields: ['a'], revision: 1 });
  const second = release({ fields: ['b'], revision: 2 });

  const outcomes = [
    await ensureCrd(client, second, options),
    await ensureCrd(client, first, options),
    await ensureCrd(client, second, options),
  ];

  expect(outcomes).toEqual(['installed', 'kept', 'unchanged']);
  expect(await live()).toMatchObject({ fields: ['b'] });
});

test('a higher revision brings an earlier definition back', async () => {
  const { options, clientOf, live } = await world();
  const client = await clientOf('operator');
  await ensureCrd(client, OLD, options);
  await ensureCrd(client, NEW, options);

  const outcome = await ensureCrd(client, release({ revision: 1 }), options);

  expect(outcome).toBe('upgraded');
  expect(await live()).toMatchObject({ fields: ['image'] });
});

test('replicas that install at once agree, and the definition is what they declare', async () => {
  const { options, clientOf, live } = await world();
  const clients = await Promise.all(['a', 'b', 'c'].map((user) => clientOf(user)));

  await Promise.all(clients.map((client) => ensureCrd(client, OLD, options)));
  await Promise.all(clients.map((client) => ensureCrd(client, NEW, options)));
  const { resourceVersion } = (await live()).metadata;
  const again = await Promise.all(clients.map((client) => ensureCrd(client, NEW, options)));

  expect(again).toEqual(['unchanged', 'unchanged', 'unchanged']);
  expect(await live()).toMatchObject({ fields: ['image', 'tag'], metadata: { resourceVersion } });
});

test('old and new replicas that start at once end with the new definition', async () => {
  const { options, clientOf, live } = await world();
  const clients = await Promise.all(['a', 'b', 'c', 'd'].map((user) => clientOf(user)));
  await ensureCrd(clients[0] as Client, OLD, options);

  await Promise.all(
    clients.map((client, at) => ensureCrd(client, at % 2 === 0 ? OLD : NEW, options)),
  );

  expect(await live()).toMatchObject({ fields: ['image', 'tag'] });
});

test('a definition that was replaced since it was read is looked at again', async () => {
  const { options, clientOf, live } = await world();
  const [slow, fast] = [await clientOf('slow'), await clientOf('fast')];
  await ensureCrd(slow, OLD, options);
  const overtaken: Client = Object.create(slow, {
    apply: {
      async value(...call: Parameters<Client['apply']>) {
        await ensureCrd(fast, release({ fields: ['newest'], revision: 2 }), options);
        return slow.apply(...call);
      },
    },
    find: { value: (...call: Parameters<Client['find']>) => slow.find(...call) },
  });

  const outcome = await ensureCrd(overtaken, release({ fields: ['newer'], revision: 1 }), options);

  expect(outcome).toBe('kept');
  expect(await live()).toMatchObject({ fields: ['newest'] });
});

test('a version in which objects may be stored is not dropped', async () => {
  const { env, options, clientOf, live } = await world();
  const client = await clientOf('operator');
  await ensureCrd(client, OLD, options);
  const before = await live();
  const written = writes(env);

  const refused = ensureCrd(client, release({ version: 'v2' }), options);

  await expect(refused).rejects.toThrow(ConfigurationError);
  await expect(refused).rejects.toMatchObject({
    message: expect.stringContaining('otherVersions, with served: false'),
    context: { definition: NAME, versions: 'v1' },
  });
  expect(await live()).toEqual(before);
  expect(writes(env)).toBe(written);
});

const V1ALPHA1 = { version: 'v1alpha1', spec: Type.Object({ image: Type.String() }) };
const V1 = { version: 'v1', spec: Type.Object({ image: Type.String() }) };

/** The resource with a conversion, whose declaration does not know the Service of the gate. */
const converted = (more: object = {}): CustomResource =>
  customResource({
    ...{ group: 'example.dev', kind: 'Website', ...V1, otherVersions: [V1ALPHA1], ...more },
    convert: [
      conversion(V1ALPHA1, V1, { up: ({ spec }) => ({ spec }), down: ({ spec }) => ({ spec }) }),
    ],
  });

const GATE = { service: { name: 'website', namespace: 'shop' } };

const conversionOf = (env: TestEnv): unknown =>
  (
    env.server.get('apiextensions.k8s.io/v1', 'CustomResourceDefinition', undefined, NAME) as
      | DefinedResource['definition']
      | undefined
  )?.spec.conversion;

test('a definition that is converted is upgraded, and keeps the address of its webhook', async () => {
  const { env, options, clientOf } = await world();
  const client = await clientOf('operator');
  env.server.applyManifest(crdYaml(converted(), GATE));
  const before = conversionOf(env);

  const outcome = await ensureCrd(client, converted({ shortNames: ['web'] }), options);

  expect(outcome).toBe('upgraded');
  expect(before).toMatchObject({
    strategy: 'Webhook',
    webhook: { clientConfig: { service: { ...GATE.service, path: '/convert', port: 443 } } },
  });
  expect(conversionOf(env)).toEqual(before);
});

test.each<[string, (env: TestEnv) => void]>([
  ['an absent definition', () => {}],
  [
    'a definition without the webhook',
    (env) => void env.server.applyManifest(crdYaml(release({ others: [V1ALPHA1] }))),
  ],
  [
    'an equal definition without the webhook',
    (env) => {
      const { conversion: _webhook, ...spec } = converted().definition.spec;
      env.server.applyManifest(JSON.stringify({ ...converted().definition, spec }));
    },
  ],
])('%s is left as it is when only manifests know the address of its webhook', async (_what, prepare) => {
  const { env, options, clientOf } = await world();
  prepare(env);
  const before = conversionOf(env);
  const written = writes(env);

  const refused = ensureCrd(await clientOf('operator'), converted(), options);

  await expect(refused).rejects.toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining('only manifests name its Service'),
    context: { definition: NAME },
  });
  expect(conversionOf(env)).toEqual(before);
  expect(writes(env)).toBe(written);
});

test('a definition with the address of its webhook is installed with it', async () => {
  const { env, options, clientOf } = await world();
  const resource = converted();
  const definition = withConversionClient(resource.definition, GATE);

  await ensureCrd(await clientOf('operator'), { ...resource, definition }, options);

  expect(conversionOf(env)).toEqual(definition.spec.conversion);
});

test('a scope cannot be changed, and that is said before anything is written', async () => {
  const { env, options, clientOf } = await world();
  const client = await clientOf('operator');
  await ensureCrd(client, OLD, options);
  const written = writes(env);

  const refused = ensureCrd(client, release({ scope: 'Cluster' }), options);

  await expect(refused).rejects.toThrow('keeps its scope and its kind');
  expect(writes(env)).toBe(written);
});

test('a newer definition that does not serve our version any more is an error', async () => {
  const { options, clientOf } = await world();
  const client = await clientOf('operator');
  await ensureCrd(client, OLD, options);
  const others = [{ version: 'v1', served: false, spec: Type.Object({}) }];
  await ensureCrd(client, release({ version: 'v2', others }), options);

  const refused = ensureCrd(client, OLD, options);

  await expect(refused).rejects.toThrow('update the operator');
});

test('what another field manager applied is not overwritten, unless that is asked for', async () => {
  const { options, clientOf, live } = await world();
  await ensureCrd(await clientOf('helm', 'helm'), OLD, options);
  const client = await clientOf('operator');

  const refused = ensureCrd(client, NEW, options);
  await expect(refused).rejects.toMatchObject({
    message: expect.stringContaining('somebody else applied another definition'),
    context: { definition: NAME, managers: 'helm' },
  });
  const { fields } = await live();
  const outcome = await ensureCrd(client, NEW, { ...options, force: true });

  expect(fields).toEqual(['image']);
  expect(outcome).toBe('upgraded');
  expect(await live()).toMatchObject({ fields: ['image', 'tag'] });
});

test('names that another definition has are an error that says so', async () => {
  const { env, options, clientOf } = await world();
  await env.apply(OLD.definition);
  const taken = customResource({
    group: 'example.dev',
    version: 'v1',
    kind: 'Website',
    plural: 'sites',
    spec: Type.Object({}),
  });

  const refused = ensureCrd(await clientOf('operator'), taken, options);

  await expect(refused).rejects.toThrow(/names of the definition are taken: .*is already in use/);
});

test('a definition that is being deleted is waited for, and installed again', async () => {
  const { env, options, clientOf } = await world();
  const client = await clientOf('operator');
  await ensureCrd(client, OLD, options);
  await client.create(OLD, {
    apiVersion: 'example.dev/v1',
    kind: 'Website',
    metadata: { name: 'b', namespace: 'default', finalizers: ['example.dev/hold'] },
    spec: {},
  } as never);
  await client.delete(customResourceDefinitions, { name: NAME });

  const ensured = ensureCrd(client, OLD, options);
  await env.patch('example.dev/v1', 'Website', 'default', 'b', { metadata: { finalizers: null } });

  expect(await ensured).toBe('installed');
});

test('a definition that stays while it is being deleted is an error after a minute', async () => {
  const { options, clientOf } = await world();
  const client = await clientOf('operator');
  await ensureCrd(client, OLD, options);
  const held = { name: 'b', namespace: 'default', finalizers: ['example.dev/hold'] };
  const object = { apiVersion: 'example.dev/v1', kind: 'Website', metadata: held, spec: {} };
  await client.create(OLD, object);
  await client.delete(customResourceDefinitions, { name: NAME });
  const clock = new FakeClock();

  let error: unknown;
  const ended = ensureCrd(client, OLD, { ...options, clock }).catch((reason: unknown) => {
    error = reason;
  });
  await advanceUntil(clock, () => error !== undefined);
  await ended;

  expect(error).toBeInstanceOf(ConfigurationError);
  expect((error as Error).message).toContain('is being deleted');
  expect(clock.monotonic()).toBeGreaterThanOrEqual(60_000);
});

test('an aborted wait ends with the reason', async () => {
  const { options, clientOf } = await world();
  const stop = new AbortController();
  stop.abort(new Error('stopping'));

  const ensured = ensureCrd(await clientOf('operator'), OLD, { ...options, signal: stop.signal });

  await expect(ensured).rejects.toThrow('stopping');
});

test.each([
  ['get', []],
  ['patch', [{ ...CRDS, resourceNames: [NAME], verbs: ['get'] }]],
  ['create', [{ ...CRDS, resourceNames: [NAME], verbs: ['get', 'patch'] }]],
])('a missing right to %s is named, with the rule for the ClusterRole', async (verb, rules) => {
  const { env, options, clientOf } = await world('RBAC');
  grant(env, 'operator', rules);

  const refused = ensureCrd(await clientOf('operator'), OLD, options);

  await expect(refused).rejects.toMatchObject({
    code: 'CONFIG',
    message: expect.stringMatching(
      `no right to ${verb} customresourcedefinitions.apiextensions.k8s.io ${NAME}: add to a ClusterRole`,
    ),
    context: {
      verb,
      resource: 'customresourcedefinitions.apiextensions.k8s.io',
      resourceName: NAME,
    },
  });
});

test('the rights that are declared for it are enough to install, upgrade and do nothing', async () => {
  const { env, options, clientOf } = await world('RBAC');
  const declare = (resource: DefinedResource) =>
    controller({
      name: 'website',
      for: resource,
      watches: [
        { source: { resource: configMaps, namespace: 'all', optional: false }, map: () => [] },
      ],
      reconcile: async () => {},
    });
  const permissions = permissionsForCrds([declare(OLD)]);
  grant(
    env,
    'operator',
    permissions.map(({ resource, verbs, resourceNames }) => ({
      apiGroups: [resource.group],
      resources: [resource.plural],
      verbs,
      ...(resourceNames === undefined ? {} : { resourceNames }),
    })),
  );
  const client = await clientOf('operator');

  const outcomes = [
    await ensureCrds([declare(OLD)], client, options),
    await ensureCrds([declare(NEW)], client, options),
    await ensureCrds([declare(NEW)], client, options),
  ];

  expect(outcomes.map((outcome) => outcome.get(NAME))).toEqual([
    'installed',
    'upgraded',
    'unchanged',
  ]);
  expect(permissions).toMatchObject([{ verbs: ['get', 'create', 'patch'], resourceNames: [NAME] }]);
});

test('controllers without resources of their own need no rights for definitions', () => {
  const plain = controller({
    name: 'plain',
    for: configMaps,
    reconcile: async () => {},
  });

  expect(permissionsForCrds([plain])).toEqual([]);
});

test('two controllers with different definitions of one resource are refused', () => {
  const controllers = [OLD, NEW].map((resource, at) =>
    controller({ name: `website-${at}`, for: resource, reconcile: async () => {} }),
  );

  expect(() => permissionsForCrds(controllers)).toThrow('two definitions of one resource');
});
