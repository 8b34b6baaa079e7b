import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { resourceDiscovery } from '../../operator/client/source.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { type CannedAnswer, cannedTransport } from './canned-transport.ts';

const widgets = defineResource({
  group: 'example.com',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
});
const ingresses = defineResource({ ...widgets, group: 'networking.k8s.io', plural: 'ingresses' });

const NAME = 'widgets.example.com';
const TEXT = { 'content-type': 'text/plain; charset=utf-8' };
const { signal } = new AbortController();

/** As kube-apiserver v1.36 answers. */
function status(code: number, reason: string, details: object): CannedAnswer {
  const message = `customresourcedefinitions.apiextensions.k8s.io "${NAME}" failed`;
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  return { status: code, body: { ...body, message, reason, details, code } };
}
const named = { name: NAME, group: 'apiextensions.k8s.io', kind: 'customresourcedefinitions' };

test('[W-40] a definition counts as gone if the answer is a Status NotFound for its name', async () => {
  const transport = cannedTransport(() => status(404, 'NotFound', named));

  const gone = await resourceDiscovery(transport, widgets, new FakeClock()).isDefinitionGone(
    signal,
  );

  expect(gone).toBe(true);
  expect(transport.requests.map(({ path }) => path)).toEqual([
    `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${NAME}`,
  ]);
});

const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };

test.each<[string, CannedAnswer | Error]>([
  ['exists', { body: { ...DEFINITION, metadata: { name: NAME } } }],
  ['is terminating', { body: { ...DEFINITION, metadata: { name: NAME, deletionTimestamp: 'x' } } }],
  ['is answered with 404 and text', { status: 404, headers: TEXT, body: '404 page not found' }],
  [
    'is answered with 404 and HTML',
    { status: 404, headers: { 'content-type': 'text/html' }, body: '' },
  ],
  ['is answered with 404 and JSON that is not a Status', { status: 404, body: { message: 'no' } }],
  ['has a path that is not served', status(404, 'NotFound', {})],
  ['is not the definition in the response', status(404, 'NotFound', { ...named, name: 'demo' })],
  ['is forbidden', status(403, 'Forbidden', named)],
  ['is refused by the filter', { status: 403, headers: TEXT, body: 'Forbidden' }],
  ['is answered by the proxy', { status: 500, headers: TEXT, body: 'dial tcp: refused' }],
  ['is answered with 503', status(503, 'ServiceUnavailable', named)],
  ['is not answered', new Error('connection lost')],
])('[W-40] a definition is not treated as gone if it %s', async (_how, answer) => {
  const transport = cannedTransport(() => {
    if (answer instanceof Error) throw answer;
    return answer;
  });

  const gone = await resourceDiscovery(transport, widgets, new FakeClock()).isDefinitionGone(
    signal,
  );

  expect(gone).toBe(false);
  expect(transport.requests).toHaveLength(1);
});

test.each([
  configMaps,
  ingresses,
])('[W-40] a built-in resource always counts as served, and no request is sent for its definition: $plural', async (resource) => {
  const transport = cannedTransport(() =>
    status(404, 'NotFound', { ...named, name: `${resource.plural}.${resource.group}` }),
  );

  const discovery = resourceDiscovery(transport, resource, new FakeClock());
  const gone = await discovery.isDefinitionGone(signal);

  expect(gone).toBe(false);
  expect(transport.requests).toEqual([]);
});

test.each<[string, CannedAnswer, readonly string[]]>([
  [
    'its resources, without subresources',
    {
      body: {
        kind: 'APIResourceList',
        apiVersion: 'v1',
        resources: [
          { name: 'widgets', kind: 'Widget', namespaced: true },
          { name: 'widgets/status', kind: 'Widget', namespaced: true },
        ],
      },
    },
    ['widgets'],
  ],
  ['none with 404 text', { status: 404, headers: TEXT, body: '404 page not found' }, []],
  ['none with a 404 Status', status(404, 'NotFound', {}), []],
])('[W-40] discovery of a group version returns %s', async (_what, answer, plurals) => {
  const transport = cannedTransport(() => answer);

  const served = await resourceDiscovery(transport, widgets, new FakeClock()).served(signal);

  expect(served).toEqual(plurals);
  expect(transport.requests.map(({ path }) => path)).toEqual(['/apis/example.com/v1']);
});

test('[W-40] a refused discovery is an error, and not an empty response', async () => {
  const transport = cannedTransport(() => ({ status: 403, headers: TEXT, body: 'Forbidden' }));

  const served = resourceDiscovery(transport, widgets, new FakeClock()).served(signal);

  await expect(served).rejects.toMatchObject({ code: 'AMBASSADOR_FORBIDDEN' });
});
