/** What people do with manifests/, on the real `kubectl kustomize`. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { only, podSpec, render } from './support/rendered.ts';

const manifests = fileURLToPath(new URL('../../manifests', import.meta.url));

/** The overlay that manifests/README.md shows, in a folder of its own. */
async function overlayOfReadme(): Promise<string> {
  const readme = await readFile(join(manifests, 'README.md'), 'utf8');
  const [, overlay = ''] = /```yaml\n(# manifests\/my-cluster[\s\S]*?)```/.exec(readme) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'chancery-overlay-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const text = overlay.replace(
    '../config-restart',
    `${relative(folder, manifests)}/config-restart`,
  );
  await writeFile(join(folder, 'kustomization.yaml'), text);
  return folder;
}

test('the overlay of the README moves everything to another namespace', async () => {
  const objects = await render(await overlayOfReadme());

  const namespaced = objects.filter(({ kind }) => kind !== 'CustomResourceDefinition');
  expect(namespaced.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
    ['ServiceAccount', 'demo'],
    ['Role', 'demo'],
    ['RoleBinding', 'demo'],
    ['Deployment', 'demo'],
  ]);
  expect(only(objects, 'RoleBinding')).toMatchObject({
    roleRef: { kind: 'Role', name: 'config-restart' },
    subjects: [{ kind: 'ServiceAccount', name: 'config-restart', namespace: 'demo' }],
  });
});

test('the overlay of the README sets both images', async () => {
  const { containers } = podSpec(await render(await overlayOfReadme()));

  expect(containers.map(({ image }) => image)).toEqual([
    'registry.example/chancery-proxy:0.1.0',
    'registry.example/chancery-operator:0.1.0',
  ]);
});

test('base is config-restart without definitions, in a namespace of its own', async () => {
  const objects = await render('manifests/base');

  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Namespace config-restart',
    'ServiceAccount config-restart',
    'Role config-restart',
    'RoleBinding config-restart',
    'Deployment config-restart',
  ]);
});

test('config-restart adds the definitions and changes nothing else', async () => {
  const base = await render('manifests/base');
  const objects = await render('manifests/config-restart');

  const added = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  expect(objects.filter((object) => !added.includes(object))).toEqual(base);
  expect(added.map(({ metadata }) => metadata.name).sort()).toEqual([
    'configmonitors.magalix.com',
    'configwatchers.k8spatterns.com',
    'configwatchers.k8spatterns.io',
  ]);
});

test('images carry the version of the package and no registry', async () => {
  const { version } = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { version: string };

  const { containers } = podSpec(await render('manifests/base'));

  expect(containers.map(({ image }) => image)).toEqual([
    `chancery-proxy:${version}`,
    `chancery-operator:${version}`,
  ]);
});
