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
import type { DefinedResource } from '../../operator/model/custom-resource-definition.ts';
import type { OtherVersion } from '../../operator/schema/custom-resource.ts';
import { customResource, Type } from '../../operator/schema.ts';
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

test('ensureCrd installs an absent definition, and resolves when it is served', async () => {
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

test('ensureCrd does not write an unchanged definition', async () => {
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

test('ensureCrd does not write an unchanged definition that another client applied', async () => {
  const { env, options, clientOf } = await world();
  await env.apply(OLD.definition);

  const outcome = await ensureCrd(await clientOf('operator'), OLD, options);

  expect(outcome).toBe('unchanged');
  expect(writes(env)).toBe(0);
});

test('ensureCrd upgrades a definition that differs, for example by an additional version', async () => {
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

test('an old replica that restarts during an update keeps the newer definition', async () => {
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

test('ensureCrd keeps the higher of two revisions, whichever comes first', async () => {
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

test('ensureCrd with a higher revision restores an earlier definition', async () => {
  const { options, clientOf, live } = await world();
  const client = await clientOf('operator');
  await ensureCrd(client, OLD, options);
  await ensureCrd(client, NEW, options);

  const outcome = await ensureCrd(client, release({ revision: 1 }), options);

  expect(outcome).toBe('upgraded');
  expect(await live()).toMatchObject({ fields: ['image'] });
});

test('replicas that install a definition at the same time agree on it', async () => {
  const { options, clientOf, live } = await world();
  const clients = await Promise.all(['a', 'b', 'c'].map((user) => clientOf(user)));

  await Promise.all(clients.map((client) => ensureCrd(client, OLD, options)));
  await Promise.all(clients.map((client) => ensureCrd(client, NEW, options)));
  const { resourceVersion } = (await live()).metadata;
  const again = await Promise.all(clients.map((client) => ensureCrd(client, NEW, options)));

  expect(again).toEqual(['unchanged', 'unchanged', 'unchanged']);
  expect(await live()).toMatchObject({ fields: ['image', 'tag'], metadata: { resourceVersion } });
});

test('old and new replicas that start at the same time end with the new definition', async () => {
  const { options, clientOf, live } = await world();
  const clients = await Promise.all(['a', 'b', 'c', 'd'].map((user) => clientOf(user)));
  await ensureCrd(clients[0] as Client, OLD, options);

  await Promise.all(
    clients.map((client, at) => ensureCrd(client, at % 2 === 0 ? OLD : NEW, options)),
  );

  expect(await live()).toMatchObject({ fields: ['image', 'tag'] });
});

test('ensureCrd checks again if a definition is replaced after it was read', async () => {
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

test('ensureCrd does not drop a version in which objects may be stored', async () => {
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

test('ensureCrd refuses a changed scope before it writes anything', async () => {
  const { env, options, clientOf } = await world();
  const client = await clientOf('operator');
  await ensureCrd(client, OLD, options);
  const written = writes(env);

  const refused = ensureCrd(client, release({ scope: 'Cluster' }), options);

  await expect(refused).rejects.toThrow('keeps its scope and its kind');
  expect(writes(env)).toBe(written);
});

test("a newer definition that no longer serves the operator's version causes an error", async () => {
  const { options, clientOf } = await world();
  const client = await clientOf('operator');
  await ensureCrd(client, OLD, options);
  const others = [{ version: 'v1', served: false, spec: Type.Object({}) }];
  await ensureCrd(client, release({ version: 'v2', others }), options);

  const refused = ensureCrd(client, OLD, options);

  await expect(refused).rejects.toThrow('update the operator');
});

test('ensureCrd does not overwrite what another field manager applied, unless the option force is set', async () => {
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

test('if another definition already has the names, the error says that the names are taken', async () => {
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

test('ensureCrd waits until a definition that is being deleted is gone, and then installs it again', async () => {
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

test('a definition that is still being deleted after a minute causes an error', async () => {
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

test('an aborted ensureCrd rejects with the reason', async () => {
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
])('if the permission to %s is missing, the error contains the rule for the ClusterRole', async (verb, rules) => {
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

test('the generated permissions are enough to install, upgrade and keep a definition', async () => {
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

test('controllers that define no resources need no permissions for definitions', () => {
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
