/** This repository, and what docs/releasing.md says of its release. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { USAGE } from '../../release/arguments.ts';
import { IMAGES } from '../../release/artifacts/image-declarations.ts';
import { pinRefusals } from '../../release/checks/all-pins.ts';
import { CHECKS } from '../../release/refusal.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const guide = textOf('docs/releasing.md');

test('[security P3] every action and base image is pinned by a verified digest', async () => {
  const own = new Set(IMAGES.map(({ name }) => name));

  expect(await pinRefusals(root, own)).toEqual([]);
  // An image of our own is no image of somebody else: without this, one would be named.
  expect(await pinRefusals(root, new Set())).toEqual([
    'examples/reloader/Dockerfile: chancery-operator is not pinned by a digest',
  ]);
});

test('docs/releasing.md and the usage text list exactly the checks that exist', () => {
  const [, section = ''] = /## What is refused\n([\s\S]*?)\n## /.exec(guide) ?? [];
  const rows = [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([a-z]+)`/g)].map(([, name]) => name),
  );

  expect(rows).toEqual([...CHECKS]);
  expect(USAGE).toContain(`checks: ${CHECKS.join(', ')}`);
});

type Rights = Readonly<Record<string, string>>;

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly permissions?: Rights;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Rights;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflow = (name: string): Workflow => parse(textOf(`.github/workflows/${name}.yml`));
const commandsOf = ({ jobs }: Workflow): string =>
  Object.values(jobs)
    .flatMap(({ steps }) => steps.map(({ run }) => run ?? ''))
    .join('\n');

test('a change is checked by .ci/run and a dry run, with read-only permissions', () => {
  const ci = workflow('ci');

  expect(commandsOf(ci)).toContain('.ci/run');
  expect(commandsOf(ci)).toMatch(/npm run release -- --dry-run /);
  expect(ci.permissions).toEqual({ contents: 'read' });
  expect(Object.values(ci.jobs).filter(({ permissions }) => permissions !== undefined)).toEqual([]);
});

test('only one job publishes, and no other job has permission to publish', () => {
  const release = workflow('release');

  expect(commandsOf(release)).toMatch(/npm run release -- --registry /);
  expect(commandsOf(release)).not.toContain('--dry-run');
  expect(release.permissions).toEqual({});
  expect(Object.values(release.jobs).map(({ permissions }) => permissions)).toEqual([
    { contents: 'write', 'id-token': 'write', packages: 'write' },
  ]);
});

/** All rights to write that a job has, by `WORKFLOW/JOB`. A job that is not here reads only. */
const WRITES: Readonly<Record<string, readonly string[]>> = {
  'release/release': ['contents', 'id-token', 'packages'],
  'scorecard/scorecard': ['id-token', 'security-events'],
  'site/deploy': ['id-token', 'pages'],
};

const WORKFLOWS = readdirSync(`${root}.github/workflows`).map((file) => file.replace(/\.yml$/, ''));
const jobs = WORKFLOWS.flatMap((name) =>
  Object.entries(workflow(name).jobs).map(([id, job]) => ({ id: `${name}/${id}`, name, job })),
);

test('every workflow starts without permissions or with read permission, and every job has a time limit', () => {
  expect(WORKFLOWS.toSorted()).toEqual(
    ['ci', 'dependency-review', 'release', 'scorecard', 'site', 'zizmor'].toSorted(),
  );
  for (const name of WORKFLOWS) {
    expect([{}, { contents: 'read' }]).toContainEqual(workflow(name).permissions);
  }
  expect(jobs.filter(({ job }) => !job['timeout-minutes']).map(({ id }) => id)).toEqual([]);
});

test.each(jobs)('[security P4] the job $id has only the write permissions that it needs', ({
  id,
  job,
}) => {
  const writes = Object.entries(job.permissions ?? {}).filter(([, right]) => right !== 'read');

  expect(writes.every(([, right]) => right === 'write')).toBe(true);
  expect(writes.map(([name]) => name).toSorted()).toEqual(WRITES[id] ?? []);
});

test('[security P1] no workflow has a secret or an npm token: registries recognise each workflow by its identity', () => {
  for (const name of WORKFLOWS) {
    const text = textOf(`.github/workflows/${name}.yml`);

    expect([name, text.match(/\bsecrets\b|NPM_TOKEN|NODE_AUTH_TOKEN|registry-url/g)]).toEqual([
      name,
      null,
    ]);
  }
});

test('[security P5] no step of a workflow leaves a credential in the checkout, restores a cache into what is published, or puts an expression into a script', () => {
  const steps = jobs.flatMap(({ id, job }) => job.steps.map((step) => ({ id, ...step })));
  const ofAction = (name: string) => steps.filter(({ uses }) => uses?.startsWith(`${name}@`));

  const withoutCheckout = jobs.filter(
    ({ job }) => !job.steps.some(({ uses }) => uses?.startsWith('actions/checkout@')),
  );
  expect(withoutCheckout.map(({ id }) => id)).toEqual(['site/deploy']);
  for (const { with: given } of ofAction('actions/checkout')) {
    expect(given).toEqual({ 'persist-credentials': false });
  }
  const published = ofAction('actions/setup-node').filter(({ id }) =>
    /^(?:release|site)\//.test(id),
  );
  expect(published.map(({ id, with: given }) => [id, given?.['package-manager-cache']])).toEqual([
    ['release/release', false],
    ['site/build', false],
  ]);
  expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
});

test('[security P4] no workflow runs the code of a pull request with the permissions of the repository', () => {
  const events = WORKFLOWS.flatMap((name) => Object.keys(workflow(name).on));

  expect(events).toContain('pull_request');
  expect(events.filter((event) => /^(?:pull_request_target|workflow_run)$/.test(event))).toEqual(
    [],
  );
});

test('the version in the comment beside each action is the tag that was verified', () => {
  const { actions } = JSON.parse(textOf('release/verified.json'));
  for (const name of WORKFLOWS) {
    const uses = textOf(`.github/workflows/${name}.yml`).match(/uses: .*/g) ?? [];
    for (const line of uses) {
      const [, action = '', commit, tag] =
        /^uses: ([\w-]+\/[\w-]+)(?:\/[\w-]+)?@([0-9a-f]{40}) # (v\S+)$/.exec(line) ?? [];
      expect([line, actions[action]]).toEqual([
        line,
        expect.arrayContaining([expect.objectContaining({ commit, tag })]),
      ]);
    }
  }
});

test('one job deploys the site that another job has built, and runs no code of the repository', () => {
  const { jobs: ofSite, on } = workflow('site');

  expect(on).toEqual({ push: { branches: ['main'] } });
  expect(Object.keys(ofSite)).toEqual(['build', 'deploy']);
  expect(ofSite.build?.steps.find(({ run }) => run === 'npm run docs')?.env).toEqual({
    DOCS_BASE: expect.stringMatching(/^\$\{\{ steps\.pages\.outputs\.base_path \}\}\/$/),
  });
  expect(ofSite.deploy?.steps.map(({ uses }) => uses?.replace(/@.*/, ''))).toEqual([
    'actions/deploy-pages',
  ]);
});

test('SECURITY.md gives the supported versions and the deadlines, and docs/releasing.md links to it', () => {
  const security = textOf('SECURITY.md');
  const times = security.match(/^\| .* \| within \d+ (?:working )?days \|$/gm) ?? [];

  expect(times.length).toBeGreaterThanOrEqual(4);
  expect(security).toMatch(/minor version/);
  expect(guide).toContain('(../SECURITY.md)');
});
