/** `--resource`: what is generated beside the operator, as manifests, chart and bundle. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { formatYaml, parseYaml, parseYamlDocuments } from '../../operator/core/yaml.ts';
import { definitionOf } from '../scaffold/support/definitions.ts';
import { textsBelow } from '../scaffold/support/project.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

const BLOGPOST = fileURLToPath(new URL('../../examples/blogpost/operator.ts', import.meta.url));

const object = (kind: string, name: string, more: object = {}): object => ({
  ...{ apiVersion: kind === 'ClusterRole' ? 'rbac.authorization.k8s.io/v1' : 'v1', kind },
  metadata: { name },
  ...more,
});
const THEME = object('ConfigMap', 'theme', { data: { hello: '{{ .Values.no }}' } });
const VIEW = object('ClusterRole', 'system:view-sites', { rules: [] });

interface Made {
  readonly code: number;
  readonly files: Readonly<Record<string, string>>;
  readonly told: string;
}

async function generate(what: string, folder: string, ...words: readonly string[]): Promise<Made> {
  const output = join(folder, 'out');
  const { exit, stderr } = invoke([
    ...['generate', what, BLOGPOST, '-o', output],
    ...(what === 'manifests' ? [] : ['--version', '1.2.3']),
    ...words,
  ]);
  const code = await exit;
  return { code, files: textsBelow(output), told: stderr.lines.join('\n') };
}

/** A folder with a file of two objects beside the output. */
const given = (text: string = [THEME, VIEW].map(formatYaml).join('---\n')): string =>
  folderWith({ 'more.yaml': text });

test('[found 15] the objects in `--resource FILE` are copied to a folder that overlays include', async () => {
  const folder = given();

  const { code, files } = await generate('manifests', folder, '--resource', '../more.yaml');

  expect(code).toBe(0);
  const { resources } = parseYaml(files['resources/kustomization.yaml'] ?? '') as {
    readonly resources: readonly string[];
  };
  expect(resources).toEqual(['config-map-theme.yaml', 'cluster-role-system-view-sites.yaml']);
  expect(resources.map((name) => parseYaml(files[`resources/${name}`] ?? ''))).toEqual([
    THEME,
    VIEW,
  ]);
  for (const scope of ['namespaced', 'cluster-scoped']) {
    const overlay = parseYaml(files[`overlays/${scope}/kustomization.yaml`] ?? '');
    expect(overlay).toMatchObject({ resources: expect.arrayContaining(['../../resources']) });
  }
});

test('[found 15] `--check` notices a changed `--resource`; if the option is missing, the copy is removed', async () => {
  const folder = given();
  const resource = ['--resource', '../more.yaml'];
  await generate('manifests', folder, ...resource);

  const same = await generate('manifests', folder, ...resource, '--check');
  writeFileSync(join(folder, 'more.yaml'), formatYaml(THEME));
  const changed = await generate('manifests', folder, ...resource, '--check');
  const { files } = await generate('manifests', folder);

  expect([same.code, changed.code]).toEqual([0, 1]);
  expect(Object.keys(files).filter((path) => path.startsWith('resources/'))).toEqual([]);
});

test('[found 15] overlays refer to a folder or URL given by `--resource`, and do not copy it', async () => {
  const folder = given();
  mkdirSync(join(folder, 'site'));
  const url = 'https://example.com/site?ref=v1';

  const { files } = await generate('manifests', folder, '--resource=../site', `--resource=${url}`);

  expect(parseYaml(files['overlays/namespaced/kustomization.yaml'] ?? '')).toMatchObject({
    resources: expect.arrayContaining(['../../../site', url]),
  });
});

test('[found 15] a chart has the objects of `--resource` unchanged, and definitions in `templates/crd`', async () => {
  const folder = given([THEME, VIEW, definitionOf('Kite')].map(formatYaml).join('---\n'));

  const { code, files, told } = await generate('chart', folder, '--resource', '../more.yaml');

  expect([code, told]).toEqual([0, expect.any(String)]);
  const text = files['templates/resources/config-map-theme.yaml'] ?? '';
  expect(parseYaml(text.replaceAll('{{ "{{" }}', '{{'))).toEqual(THEME);
  expect(text).toContain('{{ "{{" }} .Values.no }}');
  expect(files).toHaveProperty(['templates/resources/cluster-role-system-view-sites.yaml']);
  expect(files).toHaveProperty(['templates/crd/kites.x.example.com.yaml']);
});

test('[found 15] a bundle contains the objects of `--resource`, without a namespace', async () => {
  const folder = given(
    formatYaml(object('ConfigMap', 'theme', { metadata: { name: 'theme', namespace: 'x' } })),
  );

  const { code, files, told } = await generate(
    'bundle',
    folder,
    '--resource',
    '../more.yaml',
    '--operator-image=r.example/w:1.0',
  );

  expect([code, told]).toEqual([0, expect.any(String)]);
  expect(parseYamlDocuments(files['manifests/config-map-theme.yaml'] ?? '')).toEqual([
    object('ConfigMap', 'theme'),
  ]);
});

test.each<[string, string, string, readonly string[], string]>([
  [
    'a kind that OLM does not install',
    'bundle',
    formatYaml(object('Namespace', 'x')),
    ['../more.yaml'],
    'the administrator chooses the namespace',
  ],
  [
    'a URL in a chart',
    'chart',
    '',
    ['https://example.com/x.yaml'],
    'a chart contains files and folders',
  ],
  ['a file that is not there', 'manifests', '', ['../none.yaml'], 'there is no such file'],
  [
    'a document that is not an object',
    'manifests',
    'a: 1\n',
    ['../more.yaml'],
    'expected objects with apiVersion',
  ],
  [
    'the same object twice',
    'manifests',
    [THEME, THEME].map(formatYaml).join('---\n'),
    ['../more.yaml'],
    'ConfigMap theme twice',
  ],
  [
    'a kustomization',
    'chart',
    formatYaml({ ...object('Kustomization', 'k'), apiVersion: 'kustomize.config.k8s.io/v1beta1' }),
    ['../more.yaml'],
    'give what kubectl kustomize prints',
  ],
])('[found 15] `--resource` with %s is refused, and nothing is written', async (_, what, text, paths, told) => {
  const made = await generate(what, given(text), ...paths.map((path) => `--resource=${path}`));

  expect(made).toMatchObject({ code: 2, files: {}, told: expect.stringContaining(told) });
});
