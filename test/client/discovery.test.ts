import { describe, expect, test } from 'vitest';
import { discover, isUnknownResource, resourceFromPath } from '../../operator/client/discovery.ts';
import { nearMatches } from '../../operator/core/text/near-match.ts';
import { recording } from '../support/recorded-stream.ts';
import { type CannedAnswer, type CannedTransport, cannedTransport } from './canned-transport.ts';

const { signal } = new AbortController();

/** The discovery documents of a real server; groups that were not recorded have no resources. */
function recordedDocuments(): Map<string, string> {
  return new Map(
    recording('discovery')
      .filter(
        ({ request, response }) =>
          request.headers.accept === 'application/json' && response.status === 200,
      )
      .map(({ request, response }) => [request.path, response.body ?? '']),
  );
}

function clusterWith(extra: Readonly<Record<string, CannedAnswer>> = {}): CannedTransport {
  const documents = recordedDocuments();
  return cannedTransport(({ path }) => {
    const known =
      extra[path] ?? (documents.has(path) ? { body: documents.get(path) ?? '' } : undefined);
    if (known !== undefined) return known;
    const groupVersion = path.replace(/^\/apis?\//, '');
    return { body: { kind: 'APIResourceList', groupVersion, resources: [] } };
  });
}

const resourceList = (groupVersion: string, ...resources: object[]): CannedAnswer => ({
  body: {
    kind: 'APIResourceList',
    groupVersion,
    resources: resources.map((names) => ({ namespaced: true, ...names })),
  },
});
const groupList = (...groups: [name: string, ...versions: string[]][]): CannedAnswer => ({
  body: {
    kind: 'APIGroupList',
    groups: groups.map(([name, ...versions]) => ({
      name,
      versions: versions.map((version) => ({ groupVersion: `${name}/${version}`, version })),
      preferredVersion: { groupVersion: `${name}/${versions[0]}`, version: versions[0] },
    })),
  },
});

describe('resolving a name that a user typed, on a real server', () => {
  test.each([
    ['cm', 'v1', 'configmaps', 'ConfigMap'],
    ['configmap', 'v1', 'configmaps', 'ConfigMap'],
    ['configmaps', 'v1', 'configmaps', 'ConfigMap'],
    ['ConfigMap', 'v1', 'configmaps', 'ConfigMap'],
    ['configmaps.v1', 'v1', 'configmaps', 'ConfigMap'],
    ['configmaps.v1.', 'v1', 'configmaps', 'ConfigMap'],
    ['configmaps/v1', 'v1', 'configmaps', 'ConfigMap'],
    ['po', 'v1', 'pods', 'Pod'],
    ['deploy', 'apps/v1', 'deployments', 'Deployment'],
    ['deployments.apps', 'apps/v1', 'deployments', 'Deployment'],
    ['deployment.apps', 'apps/v1', 'deployments', 'Deployment'],
    ['deployments.v1.apps', 'apps/v1', 'deployments', 'Deployment'],
    ['deployments.apps/v1', 'apps/v1', 'deployments', 'Deployment'],
    ['Deployment.apps/v1', 'apps/v1', 'deployments', 'Deployment'],
    ['ev', 'v1', 'events', 'Event'],
    ['events', 'v1', 'events', 'Event'],
    ['events.events.k8s.io', 'events.k8s.io/v1', 'events', 'Event'],
    ['leases.coordination.k8s.io', 'coordination.k8s.io/v1', 'leases', 'Lease'],
    ['crd', 'apiextensions.k8s.io/v1', 'customresourcedefinitions', 'CustomResourceDefinition'],
    ['no', 'v1', 'nodes', 'Node'],
  ])('the name %s resolves to %s %s', async (text, apiVersion, plural, kind) => {
    const resource = await discover(clusterWith(), text, { signal });

    const { group, version } = resource;
    expect(group === '' ? version : `${group}/${version}`).toBe(apiVersion);
    expect(resource).toMatchObject({ plural, kind });
  });

  test('discovery knows which resources are cluster-scoped', async () => {
    const [node, pod] = await Promise.all([
      discover(clusterWith(), 'nodes', { signal }),
      discover(clusterWith(), 'pods', { signal }),
    ]);

    expect([node.namespaced, pod.namespaced]).toEqual([false, true]);
  });

  test.each([
    ['depoyments', 'deployments.apps'],
    ['confimaps', 'configmaps'],
    ['deployments.app', 'deployments.apps'],
    ['cronjobz', 'cronjobs.batch'],
    ['deployments.v2.apps', 'deployments.apps'],
  ])('the name %s is unknown, and the error suggests %s', async (text, near) => {
    const discovering = discover(clusterWith(), text, { signal });

    await expect(discovering).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringMatching(new RegExp(`no resource "${text}".*near matches:.* ${near}`)),
    });
  });

  test.each([
    '',
    'a b',
    '../x',
    'deployments/apps/v1',
    'deployments.apps/one',
    '.apps',
    'pods?x=1',
  ])('%j is no valid name, and no request is sent', async (text) => {
    const cluster = clusterWith();

    await expect(discover(cluster, text, { signal })).rejects.toMatchObject({ code: 'CONFIG' });
    expect(cluster.requests).toEqual([]);
  });
});

describe('a name that several API groups have', () => {
  const website = {
    name: 'websites',
    singularName: 'website',
    kind: 'Website',
    shortNames: ['ws'],
  };

  test('a name that two groups serve is ambiguous', async () => {
    const cluster = clusterWith({
      '/apis': groupList(['a.dev', 'v1'], ['b.dev', 'v1']),
      '/apis/a.dev/v1': resourceList('a.dev/v1', website),
      '/apis/b.dev/v1': resourceList('b.dev/v1', website),
    });

    await expect(discover(cluster, 'ws', { signal })).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('websites.a.dev, websites.b.dev'),
    });
    expect(await discover(cluster, 'ws.b.dev', { signal })).toMatchObject({ group: 'b.dev' });
  });

  test('a plural of one group has precedence over a short name or kind of another group', async () => {
    const cluster = clusterWith({
      '/apis': groupList(['a.dev', 'v1'], ['b.dev', 'v1']),
      '/apis/a.dev/v1': resourceList('a.dev/v1', website),
      '/apis/b.dev/v1': resourceList('b.dev/v1', { name: 'ws', kind: 'Socket' }),
    });

    expect(await discover(cluster, 'ws', { signal })).toMatchObject({
      group: 'b.dev',
      kind: 'Socket',
    });
  });

  test('a name resolves to the preferred version of its group, or to another version if only that version has it', async () => {
    const cluster = clusterWith({
      '/apis': groupList(['a.dev', 'v2', 'v1']),
      '/apis/a.dev/v2': resourceList('a.dev/v2', website),
      '/apis/a.dev/v1': resourceList('a.dev/v1', website, { name: 'olds', kind: 'Old' }),
    });

    expect(await discover(cluster, 'websites', { signal })).toMatchObject({ version: 'v2' });
    expect(await discover(cluster, 'websites.v1.a.dev', { signal })).toMatchObject({
      version: 'v1',
    });
    expect(await discover(cluster, 'olds', { signal })).toMatchObject({ version: 'v1' });
  });

  test('a short name in a preferred version has precedence over a plural in another version', async () => {
    const cluster = clusterWith({
      '/apis': groupList(['a.dev', 'v2', 'v1'], ['b.dev', 'v1']),
      '/apis/a.dev/v2': resourceList('a.dev/v2'),
      '/apis/a.dev/v1': resourceList('a.dev/v1', { name: 'ws', kind: 'Socket' }),
      '/apis/b.dev/v1': resourceList('b.dev/v1', website),
    });

    expect(await discover(cluster, 'ws', { signal })).toMatchObject({ group: 'b.dev' });
  });

  test('a name is resolved even if its group begins with what looks like a version', async () => {
    const cluster = clusterWith({
      '/apis': groupList(['v1.a.dev', 'v3']),
      '/apis/v1.a.dev/v3': resourceList('v1.a.dev/v3', website),
    });

    expect(await discover(cluster, 'websites.v1.a.dev', { signal })).toMatchObject({
      group: 'v1.a.dev',
      version: 'v3',
    });
  });
});

describe('discovery while an aggregated API is down', () => {
  const down = { status: 503, headers: { 'content-type': 'text/plain' }, body: 'unavailable' };

  test('while an aggregated API is unavailable, other resources are still found', async () => {
    const cluster = clusterWith({ '/apis/batch/v1': down });

    expect(await discover(cluster, 'deploy', { signal })).toMatchObject({ kind: 'Deployment' });
  });

  test('if a name is not found, the error mentions an unavailable aggregated API', async () => {
    const cluster = clusterWith({ '/apis/batch/v1': down });

    await expect(discover(cluster, 'cronjobs', { signal })).rejects.toMatchObject({
      message: expect.stringContaining('not answering: batch/v1'),
    });
  });
});

describe('errors of discovery', () => {
  test('if the discovery of the groups fails, its error is thrown to the caller', async () => {
    const body = { kind: 'Status', code: 403, reason: 'Forbidden' };
    const cluster = clusterWith({ '/apis': { status: 403, body } });

    await expect(discover(cluster, 'cm', { signal })).rejects.toMatchObject({ status: 403 });
  });

  test('a refusal of discovery by the ambassador’s filter is thrown to the caller', async () => {
    const refused = { status: 403, headers: { 'content-type': 'text/plain' }, body: 'Forbidden\n' };
    const cluster = clusterWith({ '/api/v1': refused });

    await expect(discover(cluster, 'cm', { signal })).rejects.toMatchObject({
      code: 'AMBASSADOR_FORBIDDEN',
    });
  });

  test('an unexpected discovery document is a protocol error', async () => {
    const cluster = clusterWith({ '/apis': { body: { kind: 'PodList' } } });

    await expect(discover(cluster, 'cm', { signal })).rejects.toMatchObject({ code: 'DECODE' });
  });
});

const listOf = (kind: string, ...items: object[]): CannedAnswer => ({
  body: { kind, apiVersion: 'v1', metadata: { resourceVersion: '7' }, items },
});
const NOT_SERVED: CannedAnswer = {
  status: 404,
  headers: { 'content-type': 'text/plain' },
  body: '404 page not found\n',
};
const FORBIDDEN: CannedAnswer = {
  status: 403,
  body: { kind: 'Status', code: 403, reason: 'Forbidden' },
};

describe('resolving a path', () => {
  test.each([
    ['/api/v1/configmaps', '/api/v1/configmaps', 'ConfigMap', undefined, undefined],
    [
      '/api/v1/namespaces/d/configmaps',
      '/api/v1/namespaces/d/configmaps',
      'ConfigMap',
      'd',
      undefined,
    ],
    ['/api/v1/namespaces/d/configmaps/a', '/api/v1/namespaces/d/configmaps', 'ConfigMap', 'd', 'a'],
    [
      '/api/v1/namespaces/d/configmaps/',
      '/api/v1/namespaces/d/configmaps',
      'ConfigMap',
      'd',
      undefined,
    ],
    ['/api/v1/namespaces', '/api/v1/namespaces', 'Namespace', undefined, undefined],
    ['/api/v1/namespaces/d', '/api/v1/namespaces', 'Namespace', undefined, 'd'],
    ['/apis/apps/v1/deployments', '/apis/apps/v1/deployments', 'Deployment', undefined, undefined],
  ])('[attack A-9] the path %s is resolved by listing one object there, without discovery', async (path, collection, kind, namespace, name) => {
    const selector = name === undefined ? '' : `&fieldSelector=metadata.name%3D${name}`;
    const cluster = clusterWith({ [`${collection}?limit=1${selector}`]: listOf(`${kind}List`) });

    const found = await resourceFromPath(cluster, path, { signal });

    expect(found).toEqual({ resource: expect.objectContaining({ kind }), namespace, name });
    expect(cluster.requests).toHaveLength(1);
  });

  test.each([
    ['an item', listOf('Worms', { kind: 'Widget' }), FORBIDDEN],
    [
      'discovery, if the list is empty',
      listOf('WormList'),
      resourceList('a.dev/v1', { name: 'widgets', kind: 'Widget' }),
    ],
    ['the list, if discovery is refused', listOf('WidgetList'), FORBIDDEN],
    ['the list, if discovery does not have it yet', listOf('WidgetList'), resourceList('a.dev/v1')],
  ])('[attack A-9] the kind for the path of a custom resource is taken from %s', async (_, list, discovery) => {
    const cluster = clusterWith({
      '/apis/a.dev/v1/widgets?limit=1': list,
      '/apis/a.dev/v1': discovery,
    });

    const { resource } = await resourceFromPath(cluster, '/apis/a.dev/v1/widgets', { signal });

    expect(resource.kind).toBe('Widget');
  });

  test.each([
    'configmaps',
    '/api/v1',
    '/apis/apps/v1',
    '/api/v1/namespaces/demo/pods/a/log',
    '/version',
    '/api/v1/pods?watch=1',
  ])('the path %s is refused, because it is not the path of a resource', async (path) => {
    await expect(resourceFromPath(clusterWith(), path, { signal })).rejects.toMatchObject({
      code: 'CONFIG',
    });
  });

  test('a path that is not served is an unknown resource, and a forbidden path fails with a 403', async () => {
    const cluster = clusterWith({
      '/apis/a.dev/v1/xs?limit=1': NOT_SERVED,
      '/apis/b.dev/v1/xs?limit=1': FORBIDDEN,
    });
    const failureOf = (path: string): Promise<unknown> =>
      resourceFromPath(cluster, path, { signal }).catch((error: unknown) => error);

    expect(isUnknownResource(await failureOf('/apis/a.dev/v1/xs'))).toBe(true);
    expect(await failureOf('/apis/b.dev/v1/xs')).toMatchObject({ status: 403 });
  });

  test('if the answer for a path is not a list, this is a protocol error', async () => {
    const cluster = clusterWith({ '/api/v1/configmaps?limit=1': { body: { kind: 'Table' } } });

    await expect(resourceFromPath(cluster, '/api/v1/configmaps', { signal })).rejects.toMatchObject(
      { code: 'DECODE' },
    );
  });
});

describe('suggesting near matches', () => {
  test.each([
    ['podz', ['pods']],
    ['pod', ['pods']],
    ['service', ['serviceaccounts', 'services']],
    ['servicex', ['services']],
    ['xyz', []],
  ])('the near matches of %s are %j', (text, expected) => {
    const near = nearMatches(text, ['services', 'pods', 'serviceaccounts', 'pods']);

    expect(near).toEqual(expected);
  });

  test('there are at most five near matches, the nearest first', () => {
    const near = nearMatches('abcdef', [
      'abcdxx',
      'abcdey',
      'a1cdef',
      'abcde1',
      'abcde2',
      'abcde3',
    ]);

    expect(near).toEqual(['a1cdef', 'abcde1', 'abcde2', 'abcde3', 'abcdey']);
  });
});

test('for a name with group and version, only the discovery of that group version is requested', async () => {
  const asked: string[] = [];
  const behindFilter = cannedTransport(({ path }) => {
    asked.push(path);
    if (path === '/apis/harbour.example/v1') {
      return resourceList('harbour.example/v1', { name: 'boats', kind: 'Boat' });
    }
    if (path !== '/apis/harbour.example/v2') {
      return { status: 403, headers: { 'content-type': 'text/plain' }, body: 'Forbidden' };
    }
    const body = { kind: 'Status', status: 'Failure', code: 404, reason: 'NotFound' };
    return { status: 404, headers: { 'content-type': 'application/json' }, body };
  });

  const found = await discover(behindFilter, 'Boat.harbour.example/v1', { signal });
  expect([found.plural, asked]).toEqual(['boats', ['/apis/harbour.example/v1']]);

  const missing = discover(behindFilter, 'Boat.harbour.example/v2', { signal });
  expect(isUnknownResource(await missing.catch((error: unknown) => error))).toBe(true);
});
