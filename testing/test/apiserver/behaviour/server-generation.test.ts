/** What differs between the releases: each row of the table in docs/guides/test/with-history.md. */
import { describe, expect, test } from 'vitest';
import type { ServerGeneration } from '../../../src/apiserver/behaviour/server-generation.ts';
import { eventually } from '../../../src/time/eventually.ts';
import { startCluster } from '../support/cluster.ts';

test.each([
  ['1.24', { major: '1', minor: '24', gitVersion: 'v1.24.0' }, undefined],
  ['1.30', { major: '1', minor: '30', gitVersion: 'v1.30.0' }, undefined],
  ['1.33', { major: '1', minor: '33', gitVersion: 'v1.33.0' }, '32'],
  ['1.35', { major: '1', minor: '35', gitVersion: 'v1.35.0', goVersion: 'go1.25.5' }, '34'],
  ['1.36', { major: '1', minor: '36', gitVersion: 'v1.36.2' }, '35'],
  ['1.37', { major: '1', minor: '37', gitVersion: 'v1.37.0', goVersion: 'go1.26.6' }, '36'],
  ['1.38', { major: '1', minor: '38', gitVersion: 'v1.38.0' }, '37'],
] as const)('[F-16] /version of Kubernetes %s has the version and compatibility of that release', async (generation, version, compatible) => {
  const cluster = await startCluster({ generation });

  const { body } = await cluster.send('GET', '/version');

  expect(body).toMatchObject(version);
  expect(body.emulationMinor).toBe(compatible === undefined ? undefined : version.minor);
  expect(body.minCompatibilityMinor).toBe(compatible);
});

test('a server without the option `generation` answers like Kubernetes 1.36', async () => {
  const { send } = await startCluster();

  expect((await send('GET', '/version')).body.minor).toBe('36');
});

test.each([
  '1.23',
  '1.34',
  '1.39',
  'v1.36',
  '__proto__',
])('the generation %s is refused, and the error lists the supported generations', async (generation) => {
  await expect(startCluster({ generation: generation as never })).rejects.toMatchObject({
    code: 'CONFIG',
    message: `the embedded API server answers as Kubernetes 1.24, 1.30, 1.33, 1.35, 1.36, 1.37 or 1.38, not as "${generation}"`,
  });
});

test.each([
  ['1.24', 'APIGroupList'],
  ['1.30', 'APIGroupDiscoveryList'],
] as const)('[F-16] Kubernetes %s answers a request for aggregated discovery with an %s', async (generation, kind) => {
  const cluster = await startCluster({ generation });
  const accept =
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

  const { body } = await cluster.send('GET', '/apis', undefined, { accept });

  expect(body.kind).toBe(kind);
});

test.each([
  ['1.30', null],
  ['1.33', '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"'],
  ['1.37', '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"'],
] as const)('Kubernetes %s answers a list of Endpoints with the warning %s', async (generation, warning) => {
  const { send } = await startCluster({ generation });

  const { headers } = await send('GET', '/api/v1/namespaces/kube-system/endpoints');

  expect(headers.get('warning')).toBe(warning);
});

const POD_SPEC = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] };

describe('resources that a later release added', () => {
  test.each([
    ['1.28', '/apis/authentication.k8s.io/v1', ['selfsubjectreviews']],
    [
      '1.29',
      '/apis/flowcontrol.apiserver.k8s.io/v1',
      ['flowschemas', 'prioritylevelconfigurations'],
    ],
    [
      '1.30',
      '/apis/admissionregistration.k8s.io/v1',
      ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
    ],
    ['1.33', '/apis/networking.k8s.io/v1', ['ipaddresses', 'servicecidrs']],
    ['1.33', '/api/v1', ['pods/resize']],
    [
      '1.34',
      '/apis/resource.k8s.io/v1',
      ['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'],
    ],
    ['1.34', '/apis/storage.k8s.io/v1', ['volumeattributesclasses']],
    [
      '1.36',
      '/apis/admissionregistration.k8s.io/v1',
      ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
    ],
    ['1.37', '/apis/storagemigration.k8s.io/v1', ['storageversionmigrations']],
  ] as const)('since Kubernetes %s, the path %s has the resources %j', async (since, path, resources) => {
    const all = ['1.24', '1.30', '1.33', '1.35', '1.36', '1.37', '1.38'] as const;
    const found: string[] = [];
    for (const generation of all) {
      const { server, send } = await startCluster({ generation });
      const { body } = await send('GET', path);
      const names = (body?.resources ?? []).map(({ name }: { name: string }) => name);
      found.push(
        ...resources.filter((one) => names.includes(one)).map((one) => `${generation} ${one}`),
      );
      await server.close();
    }

    const serving = all.filter((generation) => generation >= since);
    expect(found).toEqual(serving.flatMap((one) => resources.map((name) => `${one} ${name}`)));
  });

  test.each([
    ['1.30', '/apis/networking.k8s.io/v1/servicecidrs', 404],
    ['1.33', '/apis/networking.k8s.io/v1/servicecidrs', 200],
    ['1.33', '/apis/resource.k8s.io/v1/deviceclasses', 404],
    ['1.35', '/apis/resource.k8s.io/v1/deviceclasses', 200],
  ] as const)('a server of Kubernetes %s answers %s with %i', async (generation, path, status) => {
    const { send } = await startCluster({ generation });

    expect((await send('GET', path)).status).toBe(status);
  });
});

describe('API versions that a later release removed', () => {
  const CASES = [
    [
      '1.24',
      'batch/v1beta1',
      'CronJob',
      'cronjobs',
      { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: POD_SPEC } } } },
      'batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob',
    ],
    [
      '1.24',
      'policy/v1beta1',
      'PodDisruptionBudget',
      'poddisruptionbudgets',
      { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
      'policy/v1beta1 PodDisruptionBudget is deprecated in v1.21+, unavailable in v1.25+; use policy/v1 PodDisruptionBudget',
    ],
    [
      '1.24',
      'autoscaling/v2beta2',
      'HorizontalPodAutoscaler',
      'horizontalpodautoscalers',
      { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
      'autoscaling/v2beta2 HorizontalPodAutoscaler is deprecated in v1.23+, unavailable in v1.26+; use autoscaling/v2 HorizontalPodAutoscaler',
    ],
  ] as const;

  test.each(
    CASES,
  )('Kubernetes %s accepts the version %s of a %s with a warning, and also serves the object in the newer version', async (generation, apiVersion, kind, plural, spec, warning) => {
    const { send } = await startCluster({ generation });
    const path = `/apis/${apiVersion}/namespaces/default/${plural}`;

    const created = await send('POST', path, { apiVersion, kind, metadata: { name: 'x' }, spec });
    const patched = await send('PATCH', `${path}/x`, { metadata: { labels: { a: 'b' } } });
    const listed = await send('GET', path);
    const newer = apiVersion.replace(/beta.*/, '');
    const other = await send('GET', `/apis/${newer}/namespaces/default/${plural}/x`);

    expect([created.status, patched.status, listed.status]).toEqual([201, 200, 200]);
    expect(created.headers.get('warning')).toBe(`299 - "${warning}"`);
    expect(created.body).toMatchObject({ apiVersion, kind, spec });
    expect(patched.body).toMatchObject({ apiVersion, metadata: { labels: { a: 'b' } }, spec });
    expect(listed.body).toMatchObject({ apiVersion, kind: `${kind}List` });
    expect(listed.body.items).toHaveLength(1);
    expect(other.body).toMatchObject({ apiVersion: newer, metadata: { labels: { a: 'b' } } });
    expect(other.headers.get('warning')).toBeNull();
  });

  test.each([
    ['1.24', 'node.k8s.io/v1beta1', true],
    ['1.24', 'storage.k8s.io/v1beta1', true],
    ['1.24', 'flowcontrol.apiserver.k8s.io/v1beta3', false],
    ['1.30', 'flowcontrol.apiserver.k8s.io/v1beta3', true],
    ['1.33', 'flowcontrol.apiserver.k8s.io/v1beta3', false],
    ['1.30', 'batch/v1beta1', false],
    ['1.36', 'policy/v1beta1', false],
  ] as const)('discovery of Kubernetes %s contains the version %s: %s, and discovery prefers the newer version', async (generation, apiVersion, has) => {
    const { send } = await startCluster({ generation });
    const [group, version] = apiVersion.split('/');

    const { status } = await send('GET', `/apis/${apiVersion}`);
    const { body } = await send('GET', `/apis/${group}`);

    expect(status).toBe(has ? 200 : 404);
    if (has) {
      expect(body.versions.map((one: { version: string }) => one.version)).toEqual(['v1', version]);
      expect(body.preferredVersion.version).toBe('v1');
    }
  });
});

test.each([
  '1.24',
  '1.30',
  '1.33',
  '1.35',
  '1.36',
  '1.37',
  '1.38',
] as const)('the controllers of Kubernetes %s create the Pods of a Deployment', async (generation) => {
  const { server, send } = await startCluster({ generation, workloads: {} });
  server.applyManifest(`
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: web }] }
`);

  await eventually(async () => {
    const { body } = await send('GET', '/apis/apps/v1/namespaces/default/deployments/web');
    return body.status?.readyReplicas === 2;
  });
});

describe('the Table of CustomResourceDefinitions', () => {
  const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

  const definition = (name: string, more: object): never =>
    ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${name}.sea.example` },
      spec: {
        group: 'sea.example',
        names: { plural: name, kind: name.toUpperCase(), ...more },
        scope: 'Namespaced',
        versions: [
          { name: 'v2', served: true, storage: false },
          { name: 'v1', served: true, storage: true },
          { name: 'v0', served: false, storage: false },
        ].map((version) => ({
          ...version,
          schema: { openAPIV3Schema: { type: 'object' } },
        })),
      },
    }) as never;

  async function tableOf(generation: ServerGeneration) {
    const { server, send } = await startCluster({ generation });
    server.create(definition('boats', { shortNames: ['bt', 'b'] }));
    server.create(definition('ships', {}));
    const { body } = await send(
      'GET',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      undefined,
      TABLE,
    );
    return body;
  }

  test.each([
    '1.37',
    '1.38',
  ] as const)('the Table of definitions in Kubernetes %s has columns for scope and versions, and four wide columns', async (generation) => {
    const { columnDefinitions, rows } = await tableOf(generation);

    expect(
      columnDefinitions.map(({ name, type, priority }: Record<string, unknown>) => [
        name,
        type,
        priority,
      ]),
    ).toEqual([
      ['Name', 'string', 0],
      ['Scope', 'string', 0],
      ['Versions', 'string', 0],
      ['Created At', 'date', 0],
      ['Group', 'string', 1],
      ['Kind', 'string', 1],
      ['ShortNames', 'string', 1],
      ['Established', 'boolean', 1],
    ]);
    // The second may be created a second after the first.
    const [boats, ships] = rows.map(
      (row: { object: { metadata: { creationTimestamp: string } } }) =>
        row.object.metadata.creationTimestamp,
    );
    expect(rows.map(({ cells }: { cells: unknown[] }) => cells)).toEqual([
      [
        'boats.sea.example',
        'Namespaced',
        'v1(storage),v2',
        boats,
        'sea.example',
        'BOATS',
        'bt,b',
        true,
      ],
      [
        'ships.sea.example',
        'Namespaced',
        'v1(storage),v2',
        ships,
        'sea.example',
        'SHIPS',
        '',
        true,
      ],
    ]);
  });

  test('the Table of definitions in Kubernetes 1.36 has only their names and creation times', async () => {
    const { columnDefinitions } = await tableOf('1.36');

    expect(columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
      'Name',
      'Created At',
    ]);
  });
});
