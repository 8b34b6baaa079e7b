/** What a package says about its operator: from package.json, a file of metadata and the command line. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/process/support.ts';
import { packageMetadata } from '../src/generate/package-metadata.ts';

const declaring = (folder: string) =>
  ({ from: 'modules', modules: [join(folder, 'src/operator.ts')], moduleArgs: [] }) as const;

async function project(manifest: object): Promise<string> {
  const folder = await testFolder();
  await mkdir(join(folder, 'src'));
  const dependencies = { chancery: '^1.0.0' };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ dependencies, ...manifest }));
  return folder;
}

test('version, description, authors and repository come from package.json', async () => {
  const folder = await project({
    version: '2.3.4-rc.1',
    description: 'Waters plants.',
    author: 'Ada Example <ada@example.org> (https://example.org)',
    contributors: [{ name: 'Bo' }, 'Cy'],
    repository: { type: 'git', url: 'git+https://git.example.org/ada/plants.git' },
    license: 'MIT',
    keywords: ['plants'],
    scripts: { test: 'true' },
  });

  const metadata = await packageMetadata(declaring(folder), {});

  expect(metadata).toEqual({
    version: '2.3.4-rc.1',
    description: 'Waters plants.',
    license: 'MIT',
    keywords: ['plants'],
    maintainers: [
      { name: 'Ada Example', email: 'ada@example.org' },
      { name: 'Bo' },
      { name: 'Cy' },
    ],
    repository: 'https://git.example.org/ada/plants',
  });
});

test('the block `chancery` overrides package.json, a metadata file overrides both, and `--version` overrides all', async () => {
  const folder = await project({
    version: '1.0.0',
    description: 'one',
    chancery: { package: { description: 'two', displayName: 'Two', maturity: 'beta' } },
  });
  const file = join(folder, 'package.yaml');
  await writeFile(file, 'displayName: Three\nversion: 3.0.0\n');

  const metadata = await packageMetadata(declaring(folder), { version: '4.0.0', file });

  expect(metadata).toEqual({
    version: '4.0.0',
    description: 'two',
    displayName: 'Three',
    maturity: 'beta',
  });
});

test('the path of an icon is relative to the file that contains the path', async () => {
  const folder = await project({ version: '1.0.0' });
  await writeFile(join(folder, 'leaf.SVG'), '<svg/>');
  await writeFile(join(folder, 'meta.json'), '{"icon": "leaf.SVG"}');

  const { icon } = await packageMetadata(declaring(folder), { file: join(folder, 'meta.json') });

  expect(icon).toEqual({
    base64data: Buffer.from('<svg/>').toString('base64'),
    mediatype: 'image/svg+xml',
  });
});

test.each([
  ['displayname: x', 'did you mean displayName?'],
  ['colour: red', 'it is not known'],
  ['version: v1.0.0', 'version must be a version such as 1.2.3'],
  ['version: 1.10', 'version must be a version such as 1.2.3'],
  ['keywords: plants', 'keywords must be a list of texts'],
  ['maintainers: [{email: a@example.org}]', 'maintainers must be a list of {name, email}'],
  ['icon: leaf.bmp', 'an icon is a .svg, .png, .jpg or .gif'],
  ['icon: missing.png', 'cannot read the icon'],
  ['- a list', 'expected fields such as version'],
  ['{', 'cannot read'],
])('package metadata with %s are refused: %s', async (text, why) => {
  const folder = await project({ version: '1.0.0' });
  const file = join(folder, 'meta.yaml');
  await writeFile(file, text);

  await expect(packageMetadata(declaring(folder), { file })).rejects.toThrow(why);
});

test('a package without a version is refused', async () => {
  const folder = await testFolder();

  await expect(packageMetadata(declaring(folder), {})).rejects.toThrow('give --version');
});
