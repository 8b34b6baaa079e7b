/**
 * What people do with manifests/, on the real `kubectl kustomize`.
 *
 * @module-tag kubectl
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { containerNamed, only, podSpec, render } from './support/rendered.ts';

const manifests = fileURLToPath(new URL('../../manifests', import.meta.url));

/** An overlay as if it stood in a folder beside `overlays`. */
async function beside(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-overlay-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const moved = text.replaceAll('- ../', `- ${relative(folder, manifests)}/`);
  await writeFile(join(folder, 'kustomization.yaml'), moved);
  return folder;
}

/** The overlay that manifests/README.md shows. */
async function overlayOfReadme(): Promise<string> {
  const readme = await readFile(join(manifests, 'README.md'), 'utf8');
  const [, overlay = ''] = /```yaml\n(# manifests\/my-cluster[\s\S]*?)```/.exec(readme) ?? [];
  return beside(overlay);
}

test('the overlay of the README moves every object to another namespace', async () => {
  const objects = await render(await overlayOfReadme());

  const namespaced = objects.filter(({ kind }) => kind !== 'CustomResourceDefinition');
  expect(namespaced.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
    ['ServiceAccount', 'demo'],
    ['Role', 'demo'],
    ['Role', 'demo'],
    ['RoleBinding', 'demo'],
    ['RoleBinding', 'demo'],
    ['Deployment', 'demo'],
    ['PodDisruptionBudget', 'demo'],
  ]);
  for (const binding of objects.filter(({ kind }) => kind === 'RoleBinding')) {
    expect(binding).toMatchObject({
      roleRef: { kind: 'Role', name: binding.metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: 'config-restart', namespace: 'demo' }],
    });
  }
});

test('a cluster-scoped overlay that is installed in another namespace binds the ServiceAccount of that namespace', async () => {
  const folder = await beside('namespace: demo\nresources:\n  - ../overlays/cluster-scoped\n');

  const objects = await render(folder);

  expect(only(objects, 'ClusterRoleBinding')).toMatchObject({
    roleRef: { kind: 'ClusterRole', name: 'config-restart' },
    subjects: [{ kind: 'ServiceAccount', name: 'config-restart', namespace: 'demo' }],
  });
});

test('the overlay of the README sets both images', async () => {
  const spec = podSpec(await render(await overlayOfReadme()));

  expect(containerNamed(spec, 'proxy').image).toBe('registry.example/chancery-proxy:0.1.0');
  expect(containerNamed(spec, 'operator').image).toBe('registry.example/chancery-operator:0.1.0');
});

test('an administrator of a single namespace can omit the definitions, as the README says', async () => {
  const components = 'components:\n  - ../components/namespaced\n';
  const folder = await beside(`namespace: demo\nresources:\n  - ../base\n${components}`);

  const objects = await render(folder);

  const kinds = objects.map(({ kind }) => kind);
  expect(kinds).not.toContain('CustomResourceDefinition');
  expect(kinds.filter((kind) => kind.startsWith('Cluster'))).toEqual([]);
  expect(kinds).toContain('Deployment');
});

test('if a component is listed after native-sidecar, the rendering fails, because the component finds nothing to change', async () => {
  const components =
    'components:\n  - ../components/native-sidecar\n  - ../components/unix-socket\n';
  const folder = await beside(`resources:\n  - ../overlays/namespaced\n${components}`);

  await expect(render(folder)).rejects.toThrow('/spec/template/spec/containers/0/args');
});

test("the base contains what every operator needs, in a namespace with the operator's name", async () => {
  const objects = await render('manifests/base');

  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Namespace config-restart',
    'ServiceAccount config-restart',
    'Role config-restart-election',
    'RoleBinding config-restart-election',
    'Deployment config-restart',
  ]);
});

test('the overlays contain the definitions that config-restart uses', async () => {
  const objects = await render('manifests/overlays/namespaced');

  const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  expect(definitions.map(({ metadata }) => metadata.name).sort()).toEqual([
    'configmonitors.magalix.com',
    'configwatchers.k8spatterns.com',
    'configwatchers.k8spatterns.io',
  ]);
});

test("images have the package's version and no registry", async () => {
  const { version } = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { version: string };

  const { containers } = podSpec(await render('manifests/base'));

  expect(containers.map(({ image }) => image)).toEqual([
    `chancery-proxy:${version}`,
    `chancery-operator:${version}`,
  ]);
});
