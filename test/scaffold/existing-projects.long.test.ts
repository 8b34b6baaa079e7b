/** New projects for kinds that exist: they compile, their tests pass, and their manifests are current. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatYaml } from 'chancery/low-level';
import { expect, test } from 'vitest';
import { folderWith } from '../cli/child.ts';
import { invoke } from '../cli/invocation.ts';
import { exampleFolder } from '../docs/guide.ts';
import { definitionOf, HOSTILE_SPEC, versionOf } from './support/definitions.ts';
import { FLEET, kubebuilderProject, projectOf } from './support/kubebuilder-project.ts';
import {
  complaintsOf,
  done,
  newProjectIn,
  type Project,
  requestsOfTests,
} from './support/project.ts';

const PATIENT = { timeout: 120_000 };

/** Names that clash with one another, with the files of a project or with the words of TypeScript. */
const DEFINITIONS: readonly object[] = [
  definitionOf('HTTPRoute', {
    group: 'gateway.networking.k8s.io',
    metadata: { annotations: { 'api-approved.kubernetes.io': 'https://example.com/1' } },
  }),
  definitionOf('HttpRoute', { plural: 'httproutes2' }),
  definitionOf('Foo'),
  definitionOf('FooDefinition'),
  definitionOf('Operator'),
  definitionOf('OperatorController'),
  definitionOf('Error'),
  definitionOf('Definition', { plural: 'definition' }),
  definitionOf('Class', { plural: 'class', scope: 'Cluster' }),
  definitionOf('Record'),
  definitionOf('kafkatopic'),
  definitionOf('My-Kind', { plural: 'my-kind-controller' }),
  definitionOf(`${'Aa'.repeat(31)}B`, { plural: 'longs', listKind: 'Longs' }),
  definitionOf('Hostile', { spec: HOSTILE_SPEC }),
  definitionOf('Impossible', {
    spec: {
      type: 'object',
      required: ['code'],
      properties: { code: { type: 'string', pattern: '^\\d{3}$', maxLength: 2 } },
    },
  }),
  definitionOf('Multi', {
    versions: [
      versionOf('v1', { type: 'object' }, { served: false }),
      versionOf('v1beta1', { type: 'object' }, { storage: false }),
      versionOf('v1alpha1', { type: 'object' }, { storage: false }),
    ],
    more: {
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { service: { name: 'multi', namespace: 'multi' } },
        },
      },
    },
  }),
];

async function bothProjects(): Promise<{ parent: string; fleet: Project; many: Project }> {
  const parent = exampleFolder();
  const crds = folderWith({ 'all.yaml': DEFINITIONS.map(formatYaml).join('---\n') });
  return {
    parent,
    fleet: await newProjectIn(parent, 'fleet', '--from', kubebuilderProject(projectOf(FLEET))),
    many: await newProjectIn(parent, 'many', '--from-crd', crds),
  };
}

test('[scaffolding 20] projects from a PROJECT file and definitions compile', PATIENT, async () => {
  const { parent } = await bothProjects();
  const tsconfig = { extends: 'chancery/tsconfig.json', include: ['*/src'] };
  writeFileSync(join(parent, 'tsconfig.json'), JSON.stringify(tsconfig));

  const strict = ['--noUnusedLocals', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];

  expect(await complaintsOf(parent, ...strict)).toBe('');
});

test(
  '[scaffolding 20] the tests of projects for existing kinds pass, and each kind has a controller that watches it',
  PATIENT,
  async () => {
    const { fleet, many } = await bothProjects();

    const watchedIn = async (project: Project): Promise<readonly string[]> => {
      const requests = await requestsOfTests(project);
      const watched = requests
        .filter(({ verb }) => verb === 'watch')
        .map(({ resource }) => resource);
      return [...new Set(watched)].sort();
    };

    expect(await watchedIn(fleet)).toEqual([
      'admirales.crew.fleet.example',
      'bars.fiz.fleet.example',
      'bars.foo.fleet.example',
      'captains.crew.fleet.example',
      'cruisers.ship.fleet.example',
      'destroyers.ship.fleet.example',
      'frigates.ship.fleet.example',
      'healthcheckpolicies.foo.policy.fleet.example',
      'krakens.sea-creatures.fleet.example',
      'lakers.fleet.example',
      'wordpresses.example.com.fleet.example',
    ]);
    const names = DEFINITIONS.map((each) => (each as { metadata: { name: string } }).metadata.name);
    // The schema of one allows no object, and a webhook converts the other: their tests wait for the author.
    const waiting = ['impossibles.x.example.com', 'multis.x.example.com'];
    expect(await watchedIn(many)).toEqual(names.filter((name) => !waiting.includes(name)).sort());
  },
);

test(
  '[scaffolding 5] [scaffolding 20] `--check` accepts the manifests that the command has generated',
  PATIENT,
  async () => {
    const { fleet, many } = await bothProjects();

    for (const { folder } of [fleet, many]) {
      const generate = (...more: readonly string[]) =>
        invoke([
          ...['generate', 'manifests', join(folder, 'src/operator.ts'), '--name', 'demo'],
          ...['--operator-image', 'demo:0.1.0', '-o', join(folder, 'deploy'), ...more],
        ]);
      await done(generate());
      await done(generate('--check'));
    }
  },
);
