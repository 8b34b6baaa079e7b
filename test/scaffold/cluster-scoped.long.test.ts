/** `chancery init --cluster-scoped`: a project whose objects are in no namespace. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseYaml } from '../../operator/core/yaml.ts';
import { folderWith } from '../cli/child.ts';
import { invoke } from '../cli/invocation.ts';
import { complaintsOf, done, newProject, requestsOfTests, textsBelow } from './support/project.ts';

const PATIENT = { timeout: 120_000 };

test(
  '[found 15] the project that init --cluster-scoped creates compiles, and its tests pass',
  PATIENT,
  async () => {
    const project = await newProject('atlas', '--cluster-scoped', '--kind=Region');

    const { 'src/region.ts': source, 'samples/region.yaml': sample } = textsBelow(project.folder);
    expect(source).toContain("scope: 'Cluster'");
    expect(parseYaml(sample ?? '')).toMatchObject({
      kind: 'Region',
      metadata: { name: 'region-sample' },
    });
    expect(await complaintsOf(project.folder)).toBe('');
    expect(await requestsOfTests(project)).not.toEqual([]);
  },
);

test('[found 15] cluster-scoped kinds have a ClusterRole in both overlays', PATIENT, async () => {
  const { folder } = await newProject('atlas', '--cluster-scoped');
  const output = join(folder, 'deploy');

  await done(invoke(['generate', 'manifests', join(folder, 'src/operator.ts'), '-o', output]));

  const texts = textsBelow(output);
  for (const scope of ['namespaced', 'cluster-scoped']) {
    expect(texts[`components/${scope}/rbac.yaml`]).toMatch(/kind: ClusterRole\n[\s\S]*- atlases\n/);
  }
});

test.each([
  [
    ['--template=composite'],
    'the template composite creates objects in the namespace of their owner',
  ],
  [['--template=built-in'], '--cluster-scoped is for custom-resource: the template built-in'],
  [['--from=x'], '--from names the kinds; leave out --cluster-scoped'],
  [['--from-crd=x'], '--from-crd names the kinds; leave out --cluster-scoped'],
])('[found 15] init --cluster-scoped together with %j is refused', async (words, told) => {
  const { exit, stderr } = invoke([
    'init',
    join(folderWith({}), 'x'),
    '--cluster-scoped',
    ...words,
  ]);

  expect(await exit).toBe(2);
  expect(stderr.lines.join('\n')).toContain(told);
});
