/** Metadata are texts that people copy from anywhere: whatever they contain, they stay texts in every package. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseYamlDocuments } from '../../../../operator/core/yaml.ts';
import type { ManifestFile } from '../../../../operator/generate/manifests/manifest-file.ts';
import { testFolder } from '../../../../test/process/support.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { catalogFiles } from '../../src/catalog/catalog.ts';
import { catalogBundle } from '../../src/catalog/catalog-bundle.ts';
import { chartFiles } from '../../src/chart/chart.ts';
import { packageMetadata } from '../../src/generate/package-metadata.ts';
import type { PackageMetadata } from '../../src/metadata.ts';
import { hostileText } from '../helm/values-arbitrary.ts';
import { bundle, csvOf, demo } from './support/bundles.ts';

const model = demo();
const PLAIN: PackageMetadata = { version: '1.2.3' };
const COMMAND = { command: 'make package' };

/** Any metadata that TypeScript lets through: the checks of files are not asked. */
const anyMetadata: fc.Arbitrary<PackageMetadata> = (() => {
  const text = hostileText().filter((each) => each !== '');
  const texts = fc.array(text, { maxLength: 3 });
  const named = fc.record({ name: text, url: text });
  return fc.record(
    {
      version: fc.constantFrom('1.2.3', '0.1.0-rc.1'),
      displayName: text,
      description: text,
      details: text,
      keywords: texts,
      maintainers: fc.array(fc.record({ name: text, email: text }), { maxLength: 2 }),
      provider: named,
      homepage: text,
      repository: text,
      links: fc.array(named, { maxLength: 2 }),
      license: text,
      icon: fc.record({ base64data: text, mediatype: text }),
      categories: texts,
      artifactHubCategory: text,
      capabilities: text,
      maturity: text,
    },
    { requiredKeys: ['version'] },
  ) as fc.Arbitrary<PackageMetadata>;
})();

const ofTemplates = (files: readonly ManifestFile[]) =>
  files.filter(({ path }) => !['Chart.yaml', 'README.md'].includes(path));

test("[packaging 7] package metadata appear in a chart's Chart.yaml and README.md, and not in its templates, values or schema", () => {
  const plain = chartFiles(model, PLAIN, COMMAND);

  fc.assert(
    fc.property(anyMetadata, (metadata) => {
      const chart = chartFiles(model, metadata, COMMAND);

      expect(ofTemplates(chart)).toEqual(ofTemplates(plain));
      const text = chart.find(({ path }) => path === 'Chart.yaml')?.text ?? '';
      const documents = parseYamlDocuments(text) as readonly Record<string, unknown>[];
      expect(documents).toHaveLength(1);
      expect(documents[0]).toMatchObject({ apiVersion: 'v2', name: 'demo', type: 'application' });
      if (metadata.description !== undefined) {
        expect(documents[0]?.description).toBe(metadata.description);
      }
    }),
    propertyRuns(0.1),
  );
});

test('[packaging 11] package metadata do not change permissions, containers or objects of a bundle and its catalog', () => {
  const plain = bundle(model, {}, PLAIN);
  const paths = [...plain.keys()];
  const { spec: plainSpec } = csvOf(plain);

  fc.assert(
    fc.property(anyMetadata, (metadata) => {
      const files = bundle(model, {}, metadata);

      expect([...files.keys()]).toEqual(paths);
      const others = [...files].filter(([path]) => !path.endsWith('.clusterserviceversion.yaml'));
      for (const [path, text] of others) expect(text).toBe(plain.get(path));
      // Throws when the file has two documents.
      const csv = csvOf(files);
      expect(csv.spec.install).toEqual(plainSpec.install);
      expect(csv.spec.customresourcedefinitions).toEqual(plainSpec.customresourcedefinitions);
      if (metadata.displayName !== undefined)
        expect(csv.spec.displayName).toBe(metadata.displayName);
      const [, catalog] = catalogFiles([catalogBundle('b', files, 'x:1')], COMMAND);
      const blobs = parseYamlDocuments(catalog?.text ?? '') as readonly { schema: string }[];
      expect(blobs.map(({ schema }) => schema)).toEqual([
        'olm.package',
        'olm.channel',
        'olm.channel',
        'olm.bundle',
      ]);
    }),
    propertyRuns(0.1),
  );
});

async function project(text: string, file: string = 'package.yaml') {
  const folder = await testFolder();
  await mkdir(join(folder, 'src'));
  const dependencies = { chancery: '^1.0.0' };
  const manifest =
    file === 'package.json' ? text : JSON.stringify({ dependencies, version: '1.0.0' });
  await writeFile(join(folder, 'package.json'), manifest);
  await writeFile(join(folder, 'package.yaml'), file === 'package.yaml' ? text : '{}\n');
  const declaring = {
    from: 'modules',
    modules: [join(folder, 'src/operator.ts')],
    moduleArgs: [],
  } as const;
  return packageMetadata(declaring, { file: join(folder, 'package.yaml') });
}

const BOMB = [
  'a: &a [x, x, x, x, x, x, x, x, x, x]',
  ...['b', 'c', 'd', 'e'].map((name, at) => {
    const before = `*${'abcd'[at]}`;
    return `${name}: &${name} [${Array.from({ length: 10 }, () => before).join(', ')}]`;
  }),
  'keywords: *e',
].join('\n');

test.each<[what: string, text: string, why: RegExp]>([
  ['a line break in a name', 'displayName: "a\\nb"', /displayName must be a string of one line/],
  ['a second document', 'displayName: a\n---\nversion: 6.6.6\n', /cannot read .*package\.yaml/],
  [
    'the end of a terminal line',
    'license: "MIT\\u001b[2K"',
    /license must be a string of one line/,
  ],
  ['a line separator of Unicode', 'maturity: "a\\u2028b"', /maturity must be/],
  ['a prototype', '__proto__: {version: 6.6.6}', /field "__proto__": it is not known/],
  ['a property of all objects', 'constructor: x', /field "constructor": it is not known/],
  ['anchors that grow exponentially', BOMB, /cannot read .*alias/i],
  ['a name that is too long', `displayName: ${'x'.repeat(4097)}`, /displayName must be/],
  [
    'details that are too long',
    `details: ${'x '.repeat(40_000)}`,
    /details must be a string of at/,
  ],
  ['too many keywords', `keywords: [${'x, '.repeat(300)}]`, /keywords must be a list of texts/],
  ['a file that is too large', `details: ${'x'.repeat(1_100_000)}`, /may have 1048576/],
  ['a script in place of an address', 'homepage: "javascript:alert(1)"', /homepage must be a URL/],
  ['a link without an address', 'links: [{name: x}]', /links must be a list of \{name, url\}/],
  [
    'a maintainer with an unknown field',
    'maintainers: [{name: x, email: y, a: b}]',
    /maintainers must be/,
  ],
  ['a number in place of a name', 'provider: {name: 7}', /provider must be/],
])('package metadata with %s are refused', async (_what, text, why) => {
  await expect(project(text)).rejects.toThrow(why);
});

test.each<[what: string, manifest: object, why: RegExp]>([
  ['an author of two lines', { author: { name: 'a\nb' } }, /maintainers must be/],
  [
    'a block with the field toString',
    { chancery: { package: { toString: 'x' } } },
    /field "toString"/,
  ],
  ['a description of two lines', { description: 'a\n---\nkind: Pod' }, /description must be/],
])('a package.json with %s is refused', async (_what, manifest, why) => {
  const text = JSON.stringify({ version: '1.0.0', dependencies: { chancery: '1' }, ...manifest });

  await expect(project(text, 'package.json')).rejects.toThrow(why);
});

test('folded YAML text becomes one line, and an author with 50,000 spaces is parsed without delay', async () => {
  const author = `a${' '.repeat(50_000)}<`;
  const folded = await project('description: >\n  one\n  two\nprovider: {name: Team}\n');
  const dependencies = { chancery: '^1.0.0' };
  const manifest = { version: '1.0.0', description: '', author, dependencies };
  const spaced = await project(JSON.stringify(manifest), 'package.json');

  expect(folded).toMatchObject({ description: 'one two', provider: { name: 'Team' } });
  expect(spaced).toEqual({ version: '1.0.0' });
});
