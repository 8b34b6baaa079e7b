/** What the server says about itself, held to what a real one said. */
import { expect, test } from 'vitest';
import { recordedExchange } from '../../../../test/support/recorded-stream.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** The resources of each group and version, as aggregated discovery tells them. */
function resourcesByVersion(text: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const { metadata, versions } of JSON.parse(text).items) {
    for (const { version, resources } of versions) {
      found[`${metadata.name ?? ''}/${version}`] = resources;
    }
  }
  return found;
}

function definition(group: string, plural: string, versions: readonly string[]): string {
  const kind = plural[0]?.toUpperCase() + plural.slice(1, -1);
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, shortNames: [plural.slice(0, 2)], categories: ['all'] },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: 'object' } },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' },
        },
      })),
    },
  });
}

function apply({ server }: TestCluster, ...manifests: readonly string[]): void {
  for (const manifest of manifests) server.applyManifest(manifest);
}

test('[F-13] aggregated discovery serves all groups, versions and resources of a real server, in the order of that server', async () => {
  const { send } = await startCluster();

  for (const [id, path] of [
    [18, '/api'],
    [19, '/apis'],
  ] as const) {
    const answer = await send('GET', path, undefined, { accept: AGGREGATED });

    const recorded = recordedExchange('discovery', id).response.body ?? '';
    expect(resourcesByVersion(answer.text)).toEqual(resourcesByVersion(recorded));
    expect(answer.text).toBe(recorded);
    expect(answer.headers.get('content-type')).toBe(AGGREGATED);
    const { etag } = recordedExchange('discovery', id).response.headers;
    expect(answer.headers.get('etag')).toBe(etag);
    expect(answer.headers.get('vary')).toBe('Accept');
    expect(answer.headers.get('cache-control')).toBe('public');
  }
});

test.each([
  [6, '/apis'],
  [7, '/api/v1'],
  [8, '/apis/apps'],
  [9, '/apis/apps/v1'],
  [14, '/apis/authorization.k8s.io/v1'],
  [15, '/apis/batch/v1'],
  [16, '/apis/networking.k8s.io/v1'],
])('[F-13] the discovery document of exchange %i, %s, equals the recorded text', async (id, path) => {
  const { send } = await startCluster();

  const answer = await send('GET', path);

  expect(answer.text).toBe(recordedExchange('discovery', id).response.body);
});

test('[F-13] aggregated discovery is answered 304 if it has not changed, and otherwise in full', async () => {
  const cluster = await startCluster();
  const first = await cluster.send('GET', '/apis', undefined, { accept: AGGREGATED });
  const etag = first.headers.get('etag') ?? '';
  const ask = { accept: AGGREGATED, 'if-none-match': etag };

  const unchanged = await cluster.send('GET', '/apis', undefined, ask);
  apply(cluster, definition('example.dev', 'widgets', ['v1']));
  const changed = await cluster.send('GET', '/apis', undefined, ask);

  expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
  expect([unchanged.status, unchanged.text, unchanged.headers.get('etag')]).toEqual([
    304,
    '',
    etag,
  ]);
  expect(changed.status).toBe(200);
  expect(changed.body.items.at(-1).metadata.name).toBe('example.dev');
});

test('[F-13] custom groups follow the built-in groups in the order of names, each with its preferred version first', async () => {
  const cluster = await startCluster();
  apply(
    cluster,
    definition('mid.dev', 'things', ['v1']),
    definition('zoo.dev', 'zebras', ['v1alpha1', 'v2', 'v1beta1', 'v1']),
    definition('art.dev', 'works', ['v1']),
    definition('art.dev', 'artists', ['v1']),
  );

  const { body } = await cluster.send('GET', '/apis');
  const artists = await cluster.send('GET', '/apis/art.dev/v1');
  const aggregated = await cluster.send('GET', '/apis', undefined, { accept: AGGREGATED });

  expect(body.groups.slice(-3)).toMatchObject([
    { name: 'art.dev' },
    { name: 'mid.dev' },
    { name: 'zoo.dev', preferredVersion: { groupVersion: 'zoo.dev/v2', version: 'v2' } },
  ]);
  const versions = body.groups.at(-1).versions.map((one: { version: string }) => one.version);
  expect(versions).toEqual(['v2', 'v1', 'v1beta1', 'v1alpha1']);
  const names = artists.body.resources.map((one: { name: string }) => one.name);
  expect(names).toEqual([
    'artists',
    'artists/status',
    'artists/scale',
    'works',
    'works/status',
    'works/scale',
  ]);
  expect(aggregated.body.items.at(-3).versions[0].resources[0]).toEqual({
    resource: 'artists',
    responseKind: { group: 'art.dev', version: 'v1', kind: 'Artist' },
    scope: 'Namespaced',
    singularResource: 'artist',
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    shortNames: ['ar'],
    categories: ['all'],
    subresources: [
      {
        subresource: 'status',
        responseKind: { group: 'art.dev', version: 'v1', kind: 'Artist' },
        verbs: ['get', 'patch', 'update'],
      },
      {
        subresource: 'scale',
        responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        verbs: ['get', 'patch', 'update'],
      },
    ],
  });
});

test('[F-13] a custom group disappears from discovery when its definition is deleted', async () => {
  const cluster = await startCluster();
  apply(cluster, definition('example.dev', 'widgets', ['v1']));
  const served = await cluster.send('GET', '/apis/example.dev/v1');

  cluster.server.delete(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    undefined,
    'widgets.example.dev',
  );

  const gone = await cluster.send('GET', '/apis/example.dev/v1');
  expect([served.status, gone.status, gone.text]).toEqual([200, 404, '404 page not found\n']);
});

test('[F-13] a group stays in discovery until its last definition is deleted', async () => {
  const cluster = await startCluster();
  apply(cluster, definition('harbour.example', 'ferries', ['v1', 'v2']));
  apply(cluster, definition('harbour.example', 'barges', ['v2']));
  const remove = (plural: string): void =>
    cluster.server.delete(
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      undefined,
      `${plural}.harbour.example`,
    );
  const told = async (): Promise<readonly unknown[]> => {
    const { body: groups } = await cluster.send('GET', '/apis');
    const aggregated = await cluster.send('GET', '/apis', undefined, { accept: AGGREGATED });
    const { status, body } = await cluster.send('GET', '/apis/harbour.example');
    const { body: openApi } = await cluster.send('GET', '/openapi/v3');
    return [
      groups.groups.some(({ name }: { name: string }) => name === 'harbour.example'),
      Object.keys(resourcesByVersion(aggregated.text)).filter((key) => key.startsWith('harbour.')),
      status,
      (body?.versions ?? []).map(({ version }: { version: string }) => version),
      Object.keys(openApi.paths).filter((path) => path.startsWith('apis/harbour.example/')),
    ];
  };

  remove('ferries');
  const one = await told();
  remove('barges');
  const none = await told();

  expect(one).toEqual([true, ['harbour.example/v2'], 200, ['v2'], ['apis/harbour.example/v2']]);
  expect(none).toEqual([false, [], 404, [], []]);
});

test('[F-13] discovery is answered as YAML if the client accepts YAML, and with 406 if it accepts no supported media type', async () => {
  const { send } = await startCluster();

  const yaml = await send('GET', '/apis/apps/v1', undefined, { accept: 'application/yaml' });
  const refused = await send('GET', '/apis', undefined, { accept: 'text/html' });

  expect(yaml.text).toMatch(/^apiVersion: v1\ngroupVersion: apps\/v1\nkind: APIResourceList\n/);
  expect([refused.status, refused.body.reason]).toEqual([406, 'NotAcceptable']);
});

test('/version equals the recorded version', async () => {
  const { send } = await startCluster();

  const answer = await send('GET', '/version');

  expect(answer.text).toBe(recordedExchange('discovery', 1).response.body);
});

test('the token issuer has its OpenID configuration and an empty key set', async () => {
  const { send, server } = await startCluster();

  const issuer = await send('GET', '/.well-known/openid-configuration');
  const keys = await send('GET', '/openid/v1/jwks');

  expect(issuer.body).toMatchObject({
    issuer: 'https://kubernetes.default.svc.cluster.local',
    jwks_uri: `${server.url}/openid/v1/jwks`,
  });
  expect(keys.body).toEqual({ keys: [] });
  expect(keys.headers.get('content-type')).toBe('application/jwk-set+json');
});

test('every path in the answer to / is answered 200', async () => {
  const cluster = await startCluster();
  apply(cluster, definition('example.dev', 'widgets', ['v1']));

  const { paths } = (await cluster.send('GET', '/')).body;

  expect(paths).toEqual(paths.toSorted());
  expect(paths).toEqual(
    expect.arrayContaining(['/api/v1', '/apis/apps', '/apis/example.dev/v1', '/readyz/ping']),
  );
  for (const path of paths.filter((one: string) => !one.endsWith('/'))) {
    expect([path, (await cluster.send('GET', path)).status]).toEqual([path, 200]);
  }
});

test('a health check has a short answer, a verbose answer, and an answer about a single check', async () => {
  const { send } = await startCluster();

  const short = await send('GET', '/livez');
  const verbose = await send('GET', '/readyz?verbose&exclude=log');
  const one = await send('GET', '/readyz/ping');
  const unknown = await send('GET', '/readyz/nothing');

  expect([short.text, short.headers.get('content-type')]).toEqual([
    'ok',
    'text/plain; charset=utf-8',
  ]);
  const lines = verbose.text.split('\n');
  expect(lines.slice(0, 2)).toEqual(['[+]ping ok', '[+]log excluded: ok']);
  expect(lines.slice(-3)).toEqual(['[+]shutdown ok', 'readyz check passed', '']);
  // What is listed has the name and the place that it has on a real server.
  const recorded = recordedExchange('discovery', 20).response.body?.split('\n') ?? [];
  const listed = lines.map((line) => line.replace(' excluded:', ''));
  expect(recorded.filter((line) => listed.includes(line))).toEqual(listed);
  expect([one.text, unknown.status]).toEqual(['ok', 404]);
});
