/**
 * The images of a release, for both architectures, from Dockerfiles that need no base image and no network.
 *
 * @module-tag buildah
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImages } from '../../release/artifacts/images.ts';

const work = mkdtempSync(join(tmpdir(), 'chancery-released-images-'));
const root = join(work, 'root');
beforeAll(() => {
  mkdirSync(root);
  const files = {
    'Dockerfile.pot': 'FROM scratch\nCOPY leaf /leaf\n',
    'Dockerfile.broken': 'FROM scratch\nCOPY absent /absent\n',
    'Dockerfile.cup': 'ARG POT=pot\nFROM $POT\nCOPY water /water\n',
    leaf: 'green',
    water: 'hot',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
});
afterAll(() => rmSync(work, { recursive: true }));

const IMAGES = [
  { name: 'pot', dockerfile: 'Dockerfile.pot' },
  { name: 'broken', dockerfile: 'Dockerfile.broken' },
  { name: 'cup', dockerfile: 'Dockerfile.cup', on: { image: 'pot', argument: 'POT' } },
  { name: 'saucer', dockerfile: 'Dockerfile.cup', on: { image: 'broken', argument: 'POT' } },
];

interface Blob {
  readonly manifests: readonly { readonly digest: string }[];
  readonly layers: readonly { readonly digest: string }[];
}

/** The digests of the layers, for each architecture. */
function layersOf(layout: string, digest: string): readonly (readonly string[])[] {
  const read = (of: string): Blob =>
    JSON.parse(readFileSync(join(layout, 'blobs', ...of.split(':')), 'utf8'));
  return read(digest).manifests.map((each) =>
    read(each.digest).layers.map((layer) => layer.digest),
  );
}

test('images have both architectures and are built on each other, and one failure does not hide another failure', async () => {
  const folder = join(work, 'release');
  mkdirSync(folder);

  const { images, refusals } = await buildImages({
    ...{ root, folder, declarations: IMAGES, mayStandIn: false },
  });

  expect(images.map(({ name, platforms }) => [name, ...platforms])).toEqual([
    ['pot', 'linux/amd64', 'linux/arm64'],
    ['cup', 'linux/amd64', 'linux/arm64'],
  ]);
  expect(refusals).toEqual([
    expect.stringMatching(/^image broken: not built: .*absent/s),
    'image saucer: not built, because broken was not',
  ]);
  const [pot, cup] = images.map(({ layout, digest }) => layersOf(join(folder, layout), digest));
  expect(cup?.map((layers) => layers.slice(0, 1))).toEqual(pot);
  expect(cup?.every((layers) => layers.length === 2)).toBe(true);
  // Nothing of the builder stays in the folder of the release.
  expect(readdirSync(folder)).toEqual(['images']);
  expect(existsSync(join(folder, 'images/broken/index.json'))).toBe(false);
});

test('two builds of the same files have the same digests', async () => {
  const digests: (readonly string[])[] = [];
  for (const name of ['first', 'second']) {
    const folder = join(work, name);
    mkdirSync(folder);
    const declarations = IMAGES.slice(0, 1);
    const { images } = await buildImages({ root, folder, declarations, mayStandIn: false });
    digests.push(images.map(({ digest }) => digest));
  }

  expect(digests[0]).toHaveLength(1);
  expect(digests[1]).toEqual(digests[0]);
});
