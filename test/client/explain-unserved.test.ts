import { expect, test } from 'vitest';
import { explainUnserved } from '../../operator/client/explain-unserved.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { type CannedAnswer, cannedTransport } from './canned-transport.ts';

const { signal } = new AbortController();

const widgets = (names: object = {}) =>
  defineResource({
    ...{ group: 'shop.example.dev', version: 'v1', plural: 'widgets', kind: 'Widget' },
    namespaced: true,
    ...names,
  });

const list = (...plurals: string[]): CannedAnswer => ({
  body: {
    kind: 'APIResourceList',
    resources: plurals.map((name) => ({ name, kind: 'Widget', namespaced: true })),
  },
});
const MISSING: CannedAnswer = {
  status: 404,
  headers: { 'content-type': 'text/plain' },
  body: '404 page not found',
};
const groups = (...names: [name: string, ...versions: string[]][]) => ({
  '/api': { body: { kind: 'APIVersions', versions: ['v1'] } },
  '/apis': {
    body: {
      kind: 'APIGroupList',
      groups: names.map(([name, ...versions]) => ({
        name,
        versions: versions.map((version) => ({ version })),
      })),
    },
  },
});

const explained = (documents: Readonly<Record<string, CannedAnswer>>, names?: object) =>
  explainUnserved(
    cannedTransport(({ path }) => documents[path] ?? MISSING),
    widgets(names),
    { signal },
  );

const PATH = '/apis/shop.example.dev/v1';

test('[N-3] the explanation of a wrong plural suggests the plural of the kind', async () => {
  expect(await explained({ [PATH]: list('widgets') }, { plural: 'widgetes' })).toBe(
    'the API server has shop.example.dev/v1, and no widgetes in it; did you mean widgets?',
  );
});

test('[N-3] the explanation of an unknown plural lists the existing plurals', async () => {
  const said = await explained({ [PATH]: list('carts') }, { plural: 'zebras', kind: 'Zebra' });

  expect(said).toBe('the API server has shop.example.dev/v1, and no zebras in it; it has carts');
});

test('[N-3] if the group has another version, the explanation says so', async () => {
  expect(await explained(groups(['shop.example.dev', 'v1beta1']))).toBe(
    'the API server has the group shop.example.dev in version v1beta1, not in v1: change the version, or upgrade the CustomResourceDefinition',
  );
});

test('[N-3] for a missing definition, the explanation lists similar groups, and says how to install it', async () => {
  expect(await explained(groups(['shops.example.dev', 'v1']))).toBe(
    'no CustomResourceDefinition widgets.shop.example.dev is installed; near matches: shops.example.dev. ' +
      'Apply it (kubectl apply -f), or set CHANCERY_INSTALL_CRDS=true if the resource carries its definition',
  );
});

test('[N-3] if a server has no discovery, the explanation says that it is no Kubernetes API', async () => {
  expect(await explained({})).toContain('another server than a Kubernetes API listens there');
});

test('[N-3] if the filter refuses discovery, the explanation says how to install the definition', async () => {
  const refused = { status: 403, headers: { 'content-type': 'text/plain' }, body: 'Forbidden' };

  expect(await explained({ [PATH]: refused })).toContain('Apply it (kubectl apply -f)');
});

test('there is no explanation if the resource is served meanwhile, or if discovery fails', async () => {
  expect(await explained({ [PATH]: list('widgets') })).toBeUndefined();
  expect(await explained({ [PATH]: { status: 500, body: 'x' } })).toBeUndefined();
});
