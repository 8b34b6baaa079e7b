/** Catalogs: what OLM finds in them, and which ones are refused. */
import { expect, test } from 'vitest';
import { parseYamlDocuments } from '../../../../operator/core/yaml.ts';
import { type CatalogOptions, catalogFiles } from '../../src/catalog/catalog.ts';
import { type CatalogBundle, catalogBundle } from '../../src/catalog/catalog-bundle.ts';
import { type ChannelEntry, channelProblems } from '../../src/catalog/channel.ts';
import { type BundleParts, bundleFiles, type Part } from '../bundle-check/good-bundle.ts';

const CHANNELS = 'operators.operatorframework.io.bundle.channels.v1';
const DEFAULT_CHANNEL = 'operators.operatorframework.io.bundle.channel.default.v1';

/** A bundle of this version. `upgrades` are fields of its spec. */
function bundle(
  version: string,
  upgrades: { readonly replaces?: string; readonly skips?: readonly string[] } = {},
  change: (parts: BundleParts) => void = () => {},
): CatalogBundle {
  const files = bundleFiles((parts) => {
    Object.assign(parts.csv.spec, {
      ...(upgrades.replaces !== undefined && { replaces: named(upgrades.replaces) }),
      ...(upgrades.skips !== undefined && { skips: upgrades.skips.map(named) }),
    });
    change(parts);
  }, version);
  return catalogBundle(`bundle-${version}`, files, `ghcr.io/team/bundle:${version}`);
}

function named(version: string): string {
  return `thing-operator.v${version}`;
}

/** The blobs of the package, by schema. */
function blobs(
  bundles: readonly CatalogBundle[],
  options: Partial<CatalogOptions> = {},
): Record<string, Part[]> {
  const files = catalogFiles(bundles, { command: 'make catalog', ...options });
  const { text } = files.find(({ path }) => path === 'configs/thing-operator/catalog.yaml') ?? {
    text: '',
  };
  return Object.groupBy(parseYamlDocuments(text) as Part[], ({ schema }) => schema) as Record<
    string,
    Part[]
  >;
}

const THREE = [
  bundle('1.0.0'),
  bundle('1.1.0', { replaces: '1.0.0' }),
  bundle('1.1.1', { replaces: '1.0.0', skips: ['1.1.0'] }),
];

test('[packaging 16] three versions become one upgrade path, in the order of their versions', () => {
  const {
    'olm.channel': channels,
    'olm.package': packages,
    'olm.bundle': found,
  } = blobs(THREE.toReversed());

  expect(channels).toEqual([
    {
      schema: 'olm.channel',
      package: 'thing-operator',
      name: 'stable',
      entries: [
        { name: 'thing-operator.v1.0.0' },
        { name: 'thing-operator.v1.1.0', replaces: 'thing-operator.v1.0.0' },
        {
          name: 'thing-operator.v1.1.1',
          replaces: 'thing-operator.v1.0.0',
          skips: ['thing-operator.v1.1.0'],
        },
      ],
    },
  ]);
  expect(packages).toMatchObject([{ name: 'thing-operator', defaultChannel: 'stable' }]);
  expect(found?.map(({ name, image }) => [name, image])).toEqual([
    ['thing-operator.v1.0.0', 'ghcr.io/team/bundle:1.0.0'],
    ['thing-operator.v1.1.0', 'ghcr.io/team/bundle:1.1.0'],
    ['thing-operator.v1.1.1', 'ghcr.io/team/bundle:1.1.1'],
  ]);
});

const entry = (name: string, replaces?: string, skips?: readonly string[]): ChannelEntry => ({
  name,
  ...(replaces !== undefined && { replaces }),
  ...(skips !== undefined && { skips }),
});

test.each<[string, readonly ChannelEntry[], RegExp]>([
  ['two heads', [entry('a'), entry('b', 'a'), entry('c', 'a')], /^it has 2 heads, b and c: /],
  ['two bundles that do not replace each other', [entry('a'), entry('b')], /^it has 2 heads/],
  [
    'a circle',
    [entry('a', 'c'), entry('b', 'a'), entry('c', 'b')],
    /a replaces c replaces b replaces a$/,
  ],
  ['a cycle below a head', [entry('a', 'b'), entry('b', 'a'), entry('c', 'b')], /goes in a circle/],
  ['a cycle of skips', [entry('a', undefined, ['b']), entry('b', 'a')], /goes in a circle/],
  ['a bundle that replaces itself', [entry('a', 'a')], /a replaces a$/],
  ['an unknown predecessor', [entry('b', 'a')], /^b replaces a, which is not in the channel/],
  [
    'a bundle that only a skipped bundle replaces',
    [entry('a'), entry('b', 'a'), entry('c', undefined, ['b'])],
    /never be upgraded/,
  ],
  ['no bundle', [], /^it has no bundle$/],
])('[packaging 16] a channel with %s is refused', (_what, entries, problem) => {
  expect(channelProblems(entries)).toEqual([expect.stringMatching(problem)]);
});

test('[packaging 16] a bundle may skip a version that is not in the channel', () => {
  expect(channelProblems([entry('a'), entry('b', 'a', ['x'])])).toEqual([]);
});

test('[packaging 16] a channel with two heads is refused, and the error contains the channel and the package', () => {
  expect(() => blobs([bundle('1.0.0'), bundle('1.1.0')])).toThrow(
    /the channel stable of thing-operator: it has 2 heads/,
  );
});

test('a version that occurs twice is refused, and the error contains both folders', () => {
  expect(() => blobs([bundle('1.0.0'), bundle('1.0.0')])).toThrow(
    /bundle-1\.0\.0 and bundle-1\.0\.0 are the same version of thing-operator, 1\.0\.0/,
  );
});

test('versions are compared as numbers, and a release comes after its pre-releases', () => {
  const versions = ['1.10.0', '1.9.0', '1.10.0-rc.10', '1.10.0-rc.9', '1.10.0-alpha'];
  const order = ['1.9.0', '1.10.0-alpha', '1.10.0-rc.9', '1.10.0-rc.10', '1.10.0'];
  const before = new Map(order.slice(1).map((version, at) => [version, order[at]]));
  const bundles = versions.map((version) => {
    const replaces = before.get(version);
    return bundle(version, replaces === undefined ? {} : { replaces });
  });

  const [channel] = blobs(bundles)['olm.channel'] ?? [];

  expect(channel.entries.map(({ name }: Part) => name)).toEqual(order.map(named));
});

test('the properties of a bundle contain its package, the APIs that it provides, and the data for the console', () => {
  const offered = bundle('1.0.0', {}, ({ csv, files }) => {
    csv.metadata.annotations['olm.skipRange'] = '<1.0.0';
    const value = { packageName: 'other', version: '>=2.0.0' };
    files['metadata/dependencies.yaml'] = { dependencies: [{ type: 'olm.package', value }] };
    const constraint = { type: 'olm.constraint', value: { failureMessage: 'x' } };
    files['metadata/properties.yaml'] = { properties: [constraint, constraint] };
  });
  const { 'olm.bundle': bundles, 'olm.channel': channels } = blobs([offered]);

  const properties = bundles?.[0].properties as Part[];
  expect(properties.slice(0, -1)).toEqual([
    { type: 'olm.gvk', value: { group: 'example.com', version: 'v1', kind: 'Thing' } },
    { type: 'olm.package', value: { packageName: 'thing-operator', version: '1.0.0' } },
    { type: 'olm.constraint', value: { failureMessage: 'x' } },
    { type: 'olm.package.required', value: { packageName: 'other', versionRange: '>=2.0.0' } },
  ]);
  expect(properties.at(-1)).toMatchObject({
    type: 'olm.csv.metadata',
    value: { displayName: 'Thing operator', crdDescriptions: { owned: [{ kind: 'Thing' }] } },
  });
  expect(channels?.[0].entries).toEqual([{ name: named('1.0.0'), skipRange: '<1.0.0' }]);
});

test('each image is listed once, so that it can be mirrored', () => {
  const offered = bundle('1.0.0', {}, ({ csv }) => {
    csv.spec.relatedImages.pop();
  });

  expect(blobs([offered])['olm.bundle']?.[0].relatedImages).toEqual([
    { name: '', image: 'ghcr.io/team/bundle:1.0.0' },
    { name: '', image: 'ghcr.io/team/proxy:1.2.3' },
    { name: 'operator', image: 'ghcr.io/team/thing-operator:1.2.3' },
  ]);
});

test('channels that are set for a promotion replace the channels of the bundles', () => {
  const { 'olm.channel': channels } = blobs(THREE, {
    channels: ['fast', 'candidate'],
    defaultChannel: 'fast',
  });

  expect(channels?.map(({ name }) => name)).toEqual(['candidate', 'fast']);
});

test('several channels need a default channel, which must have a bundle', () => {
  const several = bundle('1.0.0', {}, ({ annotations }) => {
    annotations[CHANNELS] = 'fast, stable';
    annotations[DEFAULT_CHANNEL] = '';
  });

  expect(() => blobs([several])).toThrow(/has the channels fast, stable and no default/);
  expect(() => blobs([several], { defaultChannel: 'slow' })).toThrow(
    /the default channel slow of thing-operator has no bundle/,
  );
  expect(blobs([several], { defaultChannel: 'fast' })['olm.package']).toMatchObject([
    { defaultChannel: 'fast' },
  ]);
});

test('a deprecation may refer to a channel, a bundle or the package, and to nothing else', () => {
  const deprecated = new Map([
    ['thing-operator', 'Use other-operator.'],
    [named('1.0.0'), 'It loses things.'],
  ]);

  expect(blobs(THREE, { deprecated })['olm.deprecations']).toEqual([
    {
      schema: 'olm.deprecations',
      package: 'thing-operator',
      entries: [
        { reference: { schema: 'olm.package' }, message: 'Use other-operator.' },
        { reference: { schema: 'olm.bundle', name: named('1.0.0') }, message: 'It loses things.' },
      ],
    },
  ]);
  expect(() => blobs(THREE, { deprecated: new Map([['v1', 'x']]) })).toThrow(
    /cannot deprecate "v1"/,
  );
});

test('each package gets a separate folder, and the order of the bundles does not matter', () => {
  const other = bundle('3.0.0', {}, ({ annotations }) => {
    annotations['operators.operatorframework.io.bundle.package.v1'] = 'other';
  });
  const options = { command: 'make catalog' };

  const files = catalogFiles([...THREE, other], options);

  expect(files.map(({ path }) => path)).toEqual([
    'catalog.Dockerfile',
    'configs/other/catalog.yaml',
    'configs/thing-operator/catalog.yaml',
  ]);
  expect(catalogFiles([other, ...THREE.toReversed()], options)).toEqual(files);
  for (const { text } of files) expect(text).toMatch(/^# Generated by `make catalog`\./);
});

test.each<[string, (parts: BundleParts) => void, RegExp]>([
  [
    'package',
    ({ annotations }) => {
      annotations['operators.operatorframework.io.bundle.package.v1'] = '../x';
    },
    /^bundle: metadata\/annotations\.yaml names no package/,
  ],
  [
    'version',
    ({ csv }) => {
      csv.spec.version = 'v1.0';
    },
    /^bundle: spec\.version of the ClusterServiceVersion is no version/,
  ],
  [
    'ClusterServiceVersion',
    ({ csv }) => {
      csv.kind = 'ConfigMap';
    },
    /^no bundle: /,
  ],
])('a catalog refuses a bundle without a usable %s', (_what, change, problem) => {
  expect(() => catalogBundle('bundle', bundleFiles(change), 'x:1')).toThrow(problem);
});

test('a catalog refuses an invalid image reference', () => {
  expect(() => catalogBundle('bundle', bundleFiles(), 'x y')).toThrow(/its image must be/);
});
