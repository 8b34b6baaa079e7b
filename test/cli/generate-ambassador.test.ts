/** `chancery generate manifests --ambassador-image`: our own image, or one of kubectl alone. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { VERSION } from '../../operator/core/version.ts';
import { parseYamlDocuments } from '../../operator/core/yaml.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

const WEBSITE = fileURLToPath(new URL('../../examples/website/operator.ts', import.meta.url));

test.each([
  ['our own image gets the tag of our version', [], `chancery-proxy:${VERSION}`, undefined],
  [
    'our own image in another registry starts itself',
    ['--ambassador-image', 'registry.example/chancery-proxy'],
    `registry.example/chancery-proxy:${VERSION}`,
    undefined,
  ],
  [
    'another image is started by the Deployment',
    ['--ambassador-image', 'registry.k8s.io/kubectl:v1.37.1'],
    'registry.k8s.io/kubectl:v1.37.1',
    ['kubectl'],
  ],
])('[I-5] `--ambassador-image` in generated manifests: %s', async (_, flags, image, command) => {
  const out = join(folderWith({}), 'out');

  const { exit } = invoke(['generate', 'manifests', WEBSITE, '-o', out, '--name', 'a', ...flags]);

  expect(await exit).toBe(0);
  const deployment = readFileSync(join(out, 'base/deployment.yaml'), 'utf8');
  const [{ spec }] = parseYamlDocuments(deployment) as [
    { readonly spec: { readonly template: { readonly spec: { readonly containers: object[] } } } },
  ];
  const [proxy] = spec.template.spec.containers;
  expect(proxy).toMatchObject({ name: 'proxy', image });
  expect((proxy as { readonly command?: readonly string[] }).command).toEqual(command);
});

test('an `--ambassador-image` that the toolkit does not build needs a tag or a digest', async () => {
  const out = join(folderWith({}), 'out');
  const image = 'registry.k8s.io/kubectl';

  const { exit, stderr } = invoke([
    'generate',
    'manifests',
    WEBSITE,
    '-o',
    out,
    '--name',
    'a',
    '--ambassador-image',
    image,
  ]);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([
    expect.stringContaining('image must be an image with a tag or a sha256 digest'),
  ]);
  expect(existsSync(out)).toBe(false);
});
