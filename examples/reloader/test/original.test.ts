/** The writer that plays the original: its hashes, names and patches, and what the API server makes of them. */
import {
  configMap,
  daemonSet,
  deployment,
  secret,
  startTestEnv,
  statefulSet,
  type TestEnv,
} from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  annotationPatch,
  argoPatch,
  envPatch,
  hashOf,
  hashOfStatus,
  markedIn,
  original,
  pausePatch,
  removalPatch,
  variableOf,
} from './support/original.ts';

const H2 = 'dc30e0faa89a70dec1033016a2309bbeb9efcbd0';
const TIME = new Date('2026-01-02T03:04:05Z');

const base64 = (value: string | readonly number[]): string =>
  Buffer.from(value as string).toString('base64');

describe('the stand-in for the original operator computes hashes', () => {
  test.each([
    ['fixture H1', {}, 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    ['fixture H2', { data: { key: 'value' } }, H2],
    ['fixture H3', { data: { b: '2', a: '1' } }, 'f83e99e324ba68ccc373a58ef1eb42f8ab88646a'],
    ['fixture H4', { data: { a: '1', 'a-b': '2' } }, 'c84ab684ba8b31449f333adb8a148da918699967'],
    [
      'fixture H5',
      { data: { k: 'v' }, binaryData: { bin: base64([0, 0xff, 0x10]) } },
      '5c3a6972f7dc1eed02ba6a6533cff832b2e4d748',
    ],
    [
      'fixture H6',
      { data: { 'app.properties': 'x=1\ny=2\n' } },
      'b303c6fa2becc709d55712e3e769dbab8bc85eb4',
    ],
    ['fixture H7', { data: { a: '1;b=2' } }, 'f83e99e324ba68ccc373a58ef1eb42f8ab88646a'],
    ['fixture H8', { data: { k: '\u00e9' } }, 'ce314b01e2f69eef84b805badd8c8c4189c4c8a0'],
    ['fixture H13', undefined, 'aae45badef99284e4dae01d6046154ea9d99532f'],
    ['fixture H14', { data: { k: 'AP8Q' } }, '12f821e1f2a7708e34bb7c73add54af212b0ff3b'],
    [
      'fixture H14, binary',
      { binaryData: { k: base64([0, 0xff, 0x10]) } },
      '12f821e1f2a7708e34bb7c73add54af212b0ff3b',
    ],
  ])('%s: the stand-in for the original operator computes the hash of the fixture', (_, content, hash) => {
    expect(hashOf('CONFIGMAP', content)).toBe(hash);
  });

  test.each([
    [
      'fixture H9',
      { user: base64('admin'), password: base64('p455w0rd') },
      '98e8484cebbac4d79c8ebfb7cf56dca572e76f6a',
    ],
    [
      'fixture H10',
      { 'tls.key': base64([0xff, 0xfe, 0]) },
      '2e71815bb07a26c32acc4bb5718af7d85069734f',
    ],
    ['fixture H11', { k: '' }, 'a2a640403bda81368faf0dd24c36f66cb0206460'],
  ])('%s, a Secret: the stand-in for the original operator computes the hash of the fixture', (_, data, hash) => {
    expect(hashOf('SECRET', { data })).toBe(hash);
  });

  test('the stand-in for the original operator computes the hash of fixture H12, the status of a CSI driver', () => {
    const objects = [
      { id: 'secret/b', version: 'v2' },
      { id: 'secret/a', version: 'v1' },
    ];

    expect(hashOfStatus('my-spc', objects)).toBe('9db46b71c8b6b05a2b23d4f972e3907fd51ab28f');
  });
});

test.each([
  ['N1', 'CONFIGMAP', 'my.config-1', 'STAKATER_MY_CONFIG_1_CONFIGMAP'],
  ['N2', 'SECRET', 'app--cfg', 'STAKATER_APP_CFG_SECRET'],
  ['N3', 'CONFIGMAP', 'a-b', 'STAKATER_A_B_CONFIGMAP'],
  ['N4', 'CONFIGMAP', 'a.b', 'STAKATER_A_B_CONFIGMAP'],
  ['N5', 'CONFIGMAP', 'a.-.b', 'STAKATER_A_B_CONFIGMAP'],
  ['N6', 'CONFIGMAP', '-x', 'STAKATER_X_CONFIGMAP'],
  ['N7', 'CONFIGMAP', 'x-', 'STAKATER_X__CONFIGMAP'],
  ['N8', 'SECRET', '1abc', 'STAKATER_1ABC_SECRET'],
  ['N9', 'CONFIGMAP', 'kube-root-ca.crt', 'STAKATER_KUBE_ROOT_CA_CRT_CONFIGMAP'],
  ['N10', 'SECRETPROVIDERCLASS', 'my-spc', 'STAKATER_MY_SPC_SECRETPROVIDERCLASS'],
] as const)('%s: the stand-in for the original operator gives the variable of %s %s the name from the fixtures', (_, type, name, variable) => {
  expect(variableOf(type, name)).toBe(variable);
});

const LAST = {
  type: 'CONFIGMAP',
  name: 'app-config',
  namespace: 'demo',
  hash: H2,
  containerRefs: ['app'],
  observedAt: 1767323045,
};

test.each([
  [
    'P1',
    envPatch('app', 'STAKATER_APP_CONFIG_CONFIGMAP', H2),
    'strategic-merge-patch',
    `{"spec":{"template":{"spec":{"containers":[{"name":"app","env":[{"name":"STAKATER_APP_CONFIG_CONFIGMAP","value":"${H2}"}]}]}}}}`,
  ],
  [
    'P2',
    annotationPatch(LAST),
    'strategic-merge-patch',
    String.raw`{"spec":{"template":{"metadata":{"annotations":{"reloader.stakater.com/last-reloaded-from":"{\"type\":\"CONFIGMAP\",\"name\":\"app-config\",\"namespace\":\"demo\",\"hash\":\"dc30e0faa89a70dec1033016a2309bbeb9efcbd0\",\"containerRefs\":[\"app\"],\"observedAt\":1767323045}"}}}}}`,
  ],
  [
    'P3',
    removalPatch(1, 0),
    'json-patch',
    '[{"op":"remove","path":"/spec/template/spec/containers/1/env/0"}]',
  ],
  [
    'P4',
    pausePatch(TIME),
    'strategic-merge-patch',
    '{"metadata":{"annotations":{"deployment.reloader.stakater.com/paused-at":"2026-01-02T03:04:05Z"}},"spec":{"paused":true}}',
  ],
  [
    'P5',
    pausePatch(null),
    'strategic-merge-patch',
    '{"metadata":{"annotations":{"deployment.reloader.stakater.com/paused-at":null}},"spec":{"paused":false}}',
  ],
  ['P6', argoPatch(TIME), 'merge-patch', '{"spec": {"restartAt": "2026-01-02T03:04:05Z"}}'],
])('%s: the stand-in for the original operator sends a patch with the same bytes as in the fixtures', (_, patch, type, body) => {
  expect(patch).toEqual([type, body]);
});

test('the stand-in for the original operator marks a container that mounts the resource rather than an earlier container with a variable', () => {
  const byVariable = { name: 'a', envFrom: [{ configMapRef: { name: 'x' } }] };
  const byMount = { name: 'b', volumeMounts: [{ name: 'v' }] };
  const idle = { name: 'i' };
  const volumes = [{ name: 'v', projected: { sources: [{ configMap: { name: 'x' } }] } }];

  expect(markedIn({ containers: [byVariable, byMount], volumes }, 'CONFIGMAP', 'x')).toBe(byMount);
  expect(markedIn({ containers: [idle, byVariable], volumes }, 'CONFIGMAP', 'x')).toBe(byVariable);
  expect(
    markedIn({ containers: [idle], initContainers: [byMount], volumes }, 'CONFIGMAP', 'x'),
  ).toBe(idle);
  expect(markedIn({ containers: [idle], initContainers: [byVariable] }, 'CONFIGMAP', 'x')).toBe(
    idle,
  );
  expect(markedIn({ containers: [byVariable, byMount], volumes }, 'SECRET', 'x')).toBeUndefined();
  expect(markedIn({ containers: [idle], volumes }, 'CONFIGMAP', 'x')).toBeUndefined();
});

describe('the stand-in for the original operator at the API server', () => {
  test('the stand-in for the original operator puts a new variable first, updates managedFields, and writes nothing when it runs again', async () => {
    const { env, namespace } = await start();
    const fields = { namespace, annotations: AUTO, podSpec: POD };
    for (const make of [deployment, daemonSet, statefulSet]) await env.create(make('web', fields));
    const stakater = original(env.url, namespace);

    await stakater.changed('CONFIGMAP', 'app-config');
    await stakater.changed('CONFIGMAP', 'app-config');

    for (const kind of ['Deployment', 'DaemonSet', 'StatefulSet']) {
      const live = await workload(env, kind, namespace);
      expect(live.spec.template.spec.containers[0]?.env).toEqual([
        { name: 'STAKATER_APP_CONFIG_CONFIGMAP', value: H2 },
        { name: 'A', value: '1' },
      ]);
      expect(live.metadata.managedFields).toContainEqual(
        expect.objectContaining({ manager: 'Reloader', operation: 'Update' }),
      );
    }
    expect(stakater.sent.map(([path]) => path)).toEqual([
      'deployments/web',
      'daemonsets/web',
      'statefulsets/web',
    ]);
  });

  test('the stand-in for the original operator overwrites the hash of one Secret with the hash of another Secret that has the same variable', async () => {
    const { env, namespace } = await start();
    const annotations = { 'secret.reloader.stakater.com/reload': 'a-b , a.b' };
    await env.create(deployment('web', { namespace, annotations, podSpec: POD }));
    for (const name of ['a-b', 'a.b']) {
      await env.create(secret(name, { namespace, data: { name: base64(name) } }));
    }
    const stakater = original(env.url, namespace);

    await stakater.changed('SECRET', 'a-b');
    await stakater.changed('SECRET', 'a.b');

    const live = await workload(env, 'Deployment', namespace);
    const value = hashOf('SECRET', { data: { name: base64('a.b') } });
    expect(live.spec.template.spec.containers[0]?.env).toEqual([
      { name: 'STAKATER_A_B_SECRET', value },
      { name: 'A', value: '1' },
    ]);
    expect(stakater.sent).toHaveLength(2);
  });

  test('after a deletion, the stand-in for the original operator removes the variable, or with the strategy `annotations` writes the hash for deleted resources', async () => {
    const { env, namespace } = await start();
    await env.create(deployment('web', { namespace, annotations: AUTO, podSpec: POD }));
    const stakater = original(env.url, namespace);
    await stakater.changed('CONFIGMAP', 'app-config');
    await env.delete('v1', 'ConfigMap', namespace, 'app-config');

    await stakater.changed('CONFIGMAP', 'app-config');
    await stakater.changed('CONFIGMAP', 'app-config');
    await original(env.url, namespace, 'annotations').changed('CONFIGMAP', 'app-config');

    const { spec } = await workload(env, 'Deployment', namespace);
    expect(stakater.sent.map(([, type]) => type)).toEqual(['strategic-merge-patch', 'json-patch']);
    expect(spec.template.spec.containers[0]?.env).toEqual([{ name: 'A', value: '1' }]);
    const last = spec.template.metadata.annotations?.['reloader.stakater.com/last-reloaded-from'];
    expect(JSON.parse(last ?? '')).toMatchObject({
      type: 'CONFIGMAP',
      name: 'app-config',
      namespace,
      hash: 'aae45badef99284e4dae01d6046154ea9d99532f',
      containerRefs: ['app'],
    });
  });

  test('the stand-in for the original operator pauses a Deployment once, before the patch, and resumes it', async () => {
    const { env, namespace } = await start();
    const period = { 'deployment.reloader.stakater.com/pause-period': '5m' };
    const annotations = { ...AUTO, ...period };
    await env.create(deployment('web', { namespace, annotations, podSpec: POD }));
    const stakater = original(env.url, namespace);

    await stakater.changed('CONFIGMAP', 'app-config');
    await env.patch('v1', 'ConfigMap', namespace, 'app-config', { data: { key: 'other' } });
    await stakater.changed('CONFIGMAP', 'app-config');
    const paused = await workload(env, 'Deployment', namespace);
    await stakater.resume('web');
    await stakater.resume('web');
    const resumed = await workload(env, 'Deployment', namespace);

    const at = 'deployment.reloader.stakater.com/paused-at';
    expect(paused.spec.paused).toBe(true);
    expect(paused.metadata.annotations?.[at]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(resumed.spec.paused ?? false).toBe(false);
    expect(resumed.metadata.annotations?.[at]).toBeUndefined();
    expect(stakater.sent.map(([, , body]) => body.includes('paused'))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });
});

const AUTO = { 'reloader.stakater.com/auto': 'true' };
const POD = {
  containers: [
    {
      name: 'app',
      image: 'registry.k8s.io/pause:3.10',
      envFrom: [{ configMapRef: { name: 'app-config' } }],
      env: [{ name: 'A', value: '1' }],
    },
  ],
};

interface Live extends KubernetesObject {
  readonly spec: {
    readonly paused?: boolean;
    readonly template: {
      readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly { readonly env?: unknown }[] };
    };
  };
}

async function start(): Promise<{ readonly env: TestEnv; readonly namespace: string }> {
  const env = await startTestEnv({ backend: 'embedded', embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  await env.create(configMap('app-config', { namespace, data: { key: 'value' } }));
  return { env, namespace };
}

async function workload(env: TestEnv, kind: string, namespace: string): Promise<Live> {
  const live = await env.get<Live>('apps/v1', kind, namespace, 'web');
  if (live === undefined) throw new Error(`there is no ${kind} web`);
  return live;
}
