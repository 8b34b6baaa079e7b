/** The documents from which kubectl explains, validates and merges. */
import { expect, test } from 'vitest';
import { recordedExchange } from '../../../../test/support/recorded-stream.ts';
import { FakeClock } from '../../../src/time/fake-clock.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const WIDGETS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.dev }
spec:
  group: example.dev
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: { type: object, properties: { size: { type: integer, minimum: 1 } } }
`;

async function paths({
  send,
}: TestCluster): Promise<Record<string, { serverRelativeURL: string }>> {
  return (await send('GET', '/openapi/v3')).body.paths;
}

async function schemas({ send }: TestCluster, path: string) {
  return (await send('GET', `/openapi/v3/${path}`)).body.components.schemas;
}

test('[F-13] the OpenAPI v3 index lists the documents of a real server, each with its hash', async () => {
  const cluster = await startCluster();

  const found = await paths(cluster);

  const recorded = JSON.parse(recordedExchange('discovery', 17).response.body ?? '').paths;
  expect(Object.keys(found)).toEqual(Object.keys(recorded));
  for (const [path, { serverRelativeURL }] of Object.entries(found)) {
    expect(serverRelativeURL).toMatch(new RegExp(`^/openapi/v3/${path}\\?hash=[0-9A-F]{128}$`));
  }
});

test('[F-13] the OpenAPI v3 index is answered 304 if it is requested again within the same second', async () => {
  const clock = new FakeClock();
  const { send } = await startCluster({ clock });
  const first = await send('GET', '/openapi/v3');
  const since = { 'if-modified-since': first.headers.get('last-modified') ?? '' };

  const sameSecond = await send('GET', '/openapi/v3', undefined, since);
  clock.advance(1_000);
  const later = await send('GET', '/openapi/v3', undefined, since);

  expect(first.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect([sameSecond.status, sameSecond.text]).toEqual([304, '']);
  expect(later.status).toBe(200);
});

test('[F-13] the OpenAPI v3 index contains a resource that was added in the same second', async () => {
  const clock = new FakeClock();
  const { server, send } = await startCluster({ clock });
  const first = await send('GET', '/openapi/v3');
  const since = { 'if-modified-since': first.headers.get('last-modified') ?? '' };

  server.applyManifest(WIDGETS);
  const one = await send('GET', '/openapi/v3', undefined, since);
  const another = await send('GET', '/openapi/v3', undefined, since);

  expect(Object.keys(one.body.paths)).toContain('apis/example.dev/v1');
  expect(another.status).toBe(200);
});

test('[F-13] an OpenAPI v3 document requested by its hash is immutable', async () => {
  const { send } = await startCluster();
  const plain = await send('GET', '/openapi/v3/apis/apps/v1');
  const etag = plain.headers.get('etag') ?? '';
  const url = `/openapi/v3/apis/apps/v1?hash=${etag.slice(1, -1)}`;

  const hashed = await send('GET', url);
  const known = await send('GET', url, undefined, { 'if-none-match': etag });
  const protobuf = await send('GET', url, undefined, {
    accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf',
  });

  expect(plain.headers.get('cache-control')).toBe('no-cache, private');
  expect(hashed.headers.get('cache-control')).toBe('public, immutable');
  expect(hashed.headers.get('expires')).toMatch(/UTC$/);
  expect(hashed.text).toBe(plain.text);
  expect([known.status, known.text]).toEqual([304, '']);
  expect(protobuf.status).toBe(406);
});

test('[F-13] an outdated hash redirects to the current OpenAPI v3 document', async () => {
  const { server } = await startCluster();

  const answer = await fetch(`${server.url}/openapi/v3/api/v1?hash=0123`, { redirect: 'manual' });

  expect(answer.status).toBe(301);
  const location = answer.headers.get('location') ?? '';
  expect(location).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{128}$/);
  expect((await fetch(server.url + location)).status).toBe(200);
});

test('[F-13] a schema has field types, required fields and merge rules of lists', async () => {
  const cluster = await startCluster();

  const found = await schemas(cluster, 'api/v1');

  expect(found['io.k8s.api.core.v1.ServicePort']).toMatchObject({
    type: 'object',
    required: ['port'],
    properties: {
      port: { type: 'integer', format: 'int32' },
      protocol: { type: 'string', default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] },
      targetPort: {
        allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString' }],
      },
    },
  });
  expect(found['io.k8s.api.core.v1.ServiceSpec'].properties.ports).toEqual({
    description: expect.any(String),
    type: 'array',
    items: {
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.ServicePort' }],
      default: {},
    },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['port', 'protocol'],
    'x-kubernetes-patch-merge-key': 'port',
    'x-kubernetes-patch-strategy': 'merge',
  });
  expect(found['io.k8s.api.core.v1.ServiceSpec'].properties.selector).toEqual({
    description: expect.any(String),
    type: 'object',
    additionalProperties: { type: 'string' },
    'x-kubernetes-map-type': 'atomic',
  });
  expect(found['io.k8s.api.core.v1.Secret'].properties.data).toEqual({
    description: expect.any(String),
    type: 'object',
    additionalProperties: { type: 'string', format: 'byte' },
  });
  expect(found['io.k8s.api.core.v1.ConfigMap']['x-kubernetes-group-version-kind']).toEqual([
    { group: '', kind: 'ConfigMap', version: 'v1' },
  ]);
});

test('[F-13] every OpenAPI v3 document contains all kinds of its version, and no unresolved reference', async () => {
  const cluster = await startCluster();
  cluster.server.applyManifest(WIDGETS);

  for (const path of Object.keys(await paths(cluster))) {
    const { text, body } = await cluster.send('GET', `/openapi/v3/${path}`);
    const known = body.components?.schemas ?? {};
    const referred = [...text.matchAll(/"#\/components\/schemas\/([^"]*)"/g)].map(
      ([, name]) => name,
    );
    expect(referred.filter((name) => known[name ?? ''] === undefined)).toEqual([]);
    const [root, group = '', version] = path.split('/');
    if (root !== 'apis' || version === undefined) continue;
    const { resources } = (await cluster.send('GET', `/${path}`)).body;
    const kinds = Object.values<Record<string, [{ kind: string }]>>(known).map(
      (schema) => schema['x-kubernetes-group-version-kind']?.[0]?.kind,
    );
    for (const { name, kind } of resources) {
      if (!name.includes('/')) expect(kinds, `${group} ${kind}`).toContain(kind);
    }
  }
});

test('[F-13] every PATCH has the parameter fieldValidation, and only built-in kinds accept strategic merge patches', async () => {
  const cluster = await startCluster();
  cluster.server.applyManifest(WIDGETS);
  const patchOf = async (document: string, path: string) =>
    (await cluster.send('GET', `/openapi/v3/${document}`)).body.paths[path].patch;

  const deployment = await patchOf(
    'apis/apps/v1',
    '/apis/apps/v1/namespaces/{namespace}/deployments/{name}',
  );
  const widget = await patchOf(
    'apis/example.dev/v1',
    '/apis/example.dev/v1/namespaces/{namespace}/widgets/{name}',
  );

  for (const patch of [deployment, widget]) {
    expect(patch.parameters).toContainEqual({
      name: 'fieldValidation',
      in: 'query',
      description: expect.stringMatching(/^fieldValidation instructs the server/),
      schema: { type: 'string', uniqueItems: true },
    });
  }
  expect(widget['x-kubernetes-group-version-kind']).toEqual({
    group: 'example.dev',
    version: 'v1',
    kind: 'Widget',
  });
  const strategic = 'application/strategic-merge-patch+json';
  expect(Object.keys(deployment.requestBody.content)).toContain(strategic);
  expect(Object.keys(widget.requestBody.content)).not.toContain(strategic);
});

test('[F-13] an OpenAPI v3 document appears, changes its hash and disappears together with a definition', async () => {
  const cluster = await startCluster();
  const before = await paths(cluster);
  cluster.server.applyManifest(WIDGETS);
  const created = await paths(cluster);
  const found = await schemas(cluster, 'apis/example.dev/v1');

  cluster.server.applyManifest(WIDGETS.replace('minimum: 1', 'minimum: 2'));
  const changed = await paths(cluster);
  cluster.server.delete(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    undefined,
    'widgets.example.dev',
  );

  expect(found['dev.example.v1.Widget']).toMatchObject({
    properties: {
      metadata: {
        allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
      },
      spec: { properties: { size: { type: 'integer', minimum: 1 } } },
    },
    'x-kubernetes-group-version-kind': [{ group: 'example.dev', kind: 'Widget', version: 'v1' }],
  });
  const key = 'apis/example.dev/v1';
  expect(created[key]?.serverRelativeURL).not.toBe(changed[key]?.serverRelativeURL);
  expect({ ...created, [key]: undefined }).toEqual({ ...before, [key]: undefined });
  expect(await paths(cluster)).toEqual(before);
});

test('[F-13] an OpenAPI document changes when any definition of its version changes', async () => {
  const cluster = await startCluster();
  cluster.server.applyManifest(WIDGETS.replaceAll('widget', 'apple').replaceAll('Widget', 'Apple'));
  cluster.server.applyManifest(WIDGETS);
  const before = await schemas(cluster, 'apis/example.dev/v1');

  cluster.server.applyManifest(WIDGETS.replace('minimum: 1', 'minimum: 2'));
  const after = await schemas(cluster, 'apis/example.dev/v1');

  const minimum = (found: typeof before): number =>
    found['dev.example.v1.Widget'].properties.spec.properties.size.minimum;
  expect([minimum(before), minimum(after)]).toEqual([1, 2]);
});

test('[F-13] the OpenAPI v2 document has the same schemas as the v3 documents', async () => {
  const cluster = await startCluster();
  cluster.server.applyManifest(WIDGETS);

  const { body, text } = await cluster.send('GET', '/openapi/v2');

  expect(body.swagger).toBe('2.0');
  expect(body.definitions['io.k8s.api.apps.v1.DeploymentSpec'].properties.template).toEqual({
    description: expect.any(String),
    $ref: '#/definitions/io.k8s.api.core.v1.PodTemplateSpec',
  });
  expect(body.definitions['dev.example.v1.Widget'].properties.spec.type).toBe('object');
  const referred = [...text.matchAll(/"#\/definitions\/([^"]*)"/g)].map(([, name]) => name);
  expect(referred.filter((name) => body.definitions[name ?? ''] === undefined)).toEqual([]);
  expect(text).not.toContain('#/components/');
});

test('types and fields have the descriptions of Kubernetes', async () => {
  const cluster = await startCluster();

  const { 'io.k8s.api.core.v1.Service': service, 'io.k8s.api.core.v1.ServiceList': list } =
    await schemas(cluster, 'api/v1');
  const { 'io.k8s.api.batch.v1.CronJobSpec': schedule } = await schemas(cluster, 'apis/batch/v1');

  expect(service.description).toMatch(/^Service is a named abstraction of software service/);
  expect(list.properties.items.description).toBe('List of services');
  expect(schedule.properties.timeZone.description).toMatch(/^The time zone name for the given/);
  expect(schedule.properties.timeZone.type).toBe('string');
});

test('query parameters have descriptions', async () => {
  const { send } = await startCluster();

  const { body } = await send('GET', '/openapi/v3/apis/apps/v1');

  const { parameters } = body.paths['/apis/apps/v1/daemonsets'].get;
  const meaning = Object.fromEntries(
    parameters.map(({ name, description }: Record<string, string>) => [name, description]),
  );
  expect(meaning.watch).toBe('Watch for changes to the described resources.');
  expect(Object.values(meaning).filter((text) => text === undefined)).toEqual([undefined]);
  expect(meaning).toHaveProperty('shardSelector', undefined);
});

test('the common fields of a custom resource have the descriptions of built-in kinds', async () => {
  const cluster = await startCluster();
  cluster.server.applyManifest(WIDGETS);

  const { 'dev.example.v1.Widget': widget } = await schemas(cluster, 'apis/example.dev/v1');

  const { kind, apiVersion, metadata, spec } = widget.properties;
  expect(kind.description).toMatch(/^Kind is a string value representing the REST resource/);
  expect(apiVersion.description).toMatch(/^APIVersion defines the versioned schema/);
  expect(metadata.description).toMatch(/^Standard object's metadata\./);
  expect(spec).not.toHaveProperty('description');
});
