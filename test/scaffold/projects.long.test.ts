/** New projects work: their types, their tests, their manifests and their rights. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiServer, type LoggedRequest } from '@chancery/testing';
import type { rbacV1 } from 'chancery/kubernetes';
import { parseYaml, parseYamlDocuments } from 'chancery/low-level';
import { expect, onTestFinished, test } from 'vitest';
import { start } from '../cli/child.ts';
import { invoke } from '../cli/invocation.ts';
import { exampleFolder } from '../docs/guide.ts';
import {
  complaintsOf,
  done,
  newProject,
  newProjectIn,
  type Project,
  requestsOfTests,
} from './support/project.ts';
import { commandsOf, RUN_OUTSIDE } from './support/readme-commands.ts';

const TEMPLATES = ['custom-resource', 'built-in', 'composite'] as const;
const PATIENT = { timeout: 120_000 };

const EVERY_CHILD =
  'configmaps,cronjobs.batch,daemonsets.apps,deployments.apps,jobs.batch,secrets,serviceaccounts,services,statefulsets.apps';

/** Options of `create api`: names with words, exceptions, reserved words and names of the template. */
const KINDS: readonly (readonly string[])[] = [
  ['--kind=Everything', `--owns=${EVERY_CHILD}`],
  ['--kind=HTTPRoute2', '--version=v1beta1', '--owns=services'],
  ['--kind=SearchIndex', '--plural=search-indices', '--owns=secrets'],
  ['--kind=Class', '--plural=class', '--cluster-scoped'],
  ['--kind=Test', '--plural=test'],
  ['--kind=Operator', '--owns=serviceaccounts'],
  ['--kind=Deployment', '--owns=deployments'],
];

async function createAll({ create }: Project): Promise<void> {
  for (const options of KINDS) {
    await done(create('--group=example.com', '--version=v1', ...options));
  }
}

test('[S-5] [scaffolding 3] projects of all templates and kinds compile', PATIENT, async () => {
  const parent = exampleFolder();
  for (const template of TEMPLATES) {
    await newProjectIn(parent, template, '--template', template);
  }
  await createAll(await newProjectIn(parent, 'many'));
  const tsconfig = { extends: 'chancery/tsconfig.json', include: ['*/src'] };
  writeFileSync(join(parent, 'tsconfig.json'), JSON.stringify(tsconfig));

  const strict = ['--noUnusedLocals', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];

  const complaints = await complaintsOf(parent, ...strict);

  expect(complaints).toBe('');
});

test('[scaffolding 3] [scaffolding 4] tests of kinds with all options pass', PATIENT, async () => {
  const project = await newProject('many');
  await createAll(project);

  const requests = await requestsOfTests(project);

  const written = requests.filter(
    ({ verb, subresource }) => verb === 'patch' && subresource === 'status',
  );
  expect(new Set(written.map(({ resource }) => resource))).toEqual(
    new Set(
      [
        'manies',
        'everythings',
        'httproute2s',
        'search-indices',
        'class',
        'test',
        'operators',
        'deployments',
      ].map((plural) => `${plural}.example.com`),
    ),
  );
});

/** `VERB RESOURCE.GROUP/SUBRESOURCE` of each right of roles, as the log of requests writes them. */
function rightsIn(manifest: string): readonly string[] {
  const roles = parseYamlDocuments(manifest) as readonly rbacV1.Role[];
  return roles.flatMap(({ rules }) =>
    (rules ?? []).flatMap(({ apiGroups = [], resources = [], verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => {
          const [name, subresource] = resource.split('/', 2);
          const full = `${name}${group === '' ? '' : `.${group}`}${subresource ? `/${subresource}` : ''}`;
          return verbs.map((verb) => `${verb} ${full}`);
        }),
      ),
    ),
  );
}

function rightOf({ verb, resource, subresource }: LoggedRequest): string {
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

/**
 * Rights that a test in which nothing fails need not use: reads of single objects, Events, and owner
 * references where an admission plugin asks for the right (docs/guides/write/operators.md, Rights).
 */
const NEED_NO_USE = /^(?:get |\w+ events\.events\.k8s\.io$|update \S+\/finalizers$)/;

test.each(TEMPLATES)(
  '[S-3] [scaffolding 7] the roles of the template %s grant exactly the permissions that its operator uses in its tests',
  PATIENT,
  async (template) => {
    const project = await newProject('demo', '--template', template);

    const used = new Set((await requestsOfTests(project)).map(rightOf));
    const module = join(project.folder, 'src/operator.ts');
    const generated = invoke(['generate', 'rbac', module, '--name=demo', '--no-leader-election']);
    await done(generated);
    const granted = rightsIn(generated.stdout.lines.join('\n'));

    expect(granted.length).toBeGreaterThan(5);
    expect([...used].filter((right) => !granted.includes(right))).toEqual([]);
    expect(granted.filter((right) => !used.has(right) && !NEED_NO_USE.test(right))).toEqual([]);
  },
);

test('[scaffolding 3] after "create api", the generated roles contain the new kinds, and no other kinds', async () => {
  const project = await newProject('demo');
  const create = (...options: readonly string[]) =>
    done(project.create('--group=example.com', '--version=v1', ...options));
  await create('--kind=Cache', '--owns=services');
  await create('--kind=Index', '--plural=indices');

  const module = join(project.folder, 'src/operator.ts');
  const generated = invoke(['generate', 'rbac', module, '--name=demo', '--no-leader-election']);
  await done(generated);

  const rights = rightsIn(generated.stdout.lines.join('\n'));
  const resources = rights.map((right) => right.replace(/^\S+ ([^/]*).*$/, '$1'));
  expect([...new Set(resources)].sort()).toEqual([
    'caches.example.com',
    'demos.example.com',
    'deployments.apps',
    'events.events.k8s.io',
    'indices.example.com',
    'services',
  ]);
});

test.each([
  'custom-resource',
  'composite',
])('[scaffolding 6] the API server accepts the definition and the sample of the template %s, and refuses an invalid sample', async (template) => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const { folder } = await newProject('demo', '--template', template);
  const definitions = invoke(['generate', 'crd', join(folder, 'src/operator.ts')]);
  await done(definitions);
  const sample = readFileSync(join(folder, 'samples/demo.yaml'), 'utf8');

  server.applyManifest(definitions.stdout.lines.join('\n'));
  server.applyManifest(sample);
  const bad = sample.replace('replicas: 2', 'replicas: -1');

  expect(server.get('example.com/v1', 'Demo', 'default', 'demo-sample')).toMatchObject(
    parseYaml(sample) as object,
  );
  expect(() => server.applyManifest(bad)).toThrow(/spec\.replicas/);
});

test(
  '[scaffolding 5] generate --check finds no difference after generate, and fails after a change of the schema',
  PATIENT,
  async () => {
    const { folder } = await newProject('demo');
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    // As `npm run generate` does, but for the Node of the tests and the sources of the toolkit.
    const generate = (more = '') => {
      const line = `${scripts.generate.replace(/^chancery /, '"$0" "$BIN" ')}${more}`;
      return start('sh', ['-c', `cd '${folder}' && ${line}`, process.execPath]).exit;
    };
    const source = join(folder, 'src/demo.ts');

    const first = [await generate(), await generate(' --check')];
    writeFileSync(source, readFileSync(source, 'utf8').replace('maximum: 100', 'maximum: 9'));
    const changed = await generate(' --check');

    expect([first, changed]).toEqual([[0, 0], 1]);
  },
);

test.each(
  TEMPLATES,
)('[scaffolding 22] README.md and AGENTS.md of the template %s contain only commands that its CI or outside.tools.test.ts runs', async (template) => {
  const { folder } = await newProject('demo', '--template', template);
  const workflow = parseYaml(readFileSync(join(folder, '.github/workflows/ci.yml'), 'utf8')) as {
    readonly jobs: { readonly test: { readonly steps: readonly { readonly run?: string }[] } };
  };

  const inCi = workflow.jobs.test.steps.flatMap(({ run }) => run ?? []);
  const [readme = [], agents = []] = ['README.md', 'AGENTS.md'].map((file) =>
    commandsOf(readFileSync(join(folder, file), 'utf8')),
  );

  expect([readme.length, agents.length]).toEqual([8, 5]);
  expect(
    [...readme, ...agents].filter(
      (command) => !inCi.includes(command) && !RUN_OUTSIDE.includes(command),
    ),
  ).toEqual([]);
});
