/** This repository, and what docs/releasing.md says of its release. */
import { readFileSync } from 'node:fs';
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

test('every action and base image is pinned by a digest that somebody has verified', async () => {
  const own = new Set(IMAGES.map(({ name }) => name));

  expect(await pinRefusals(root, own)).toEqual([]);
  // An image of our own is no image of somebody else: without this, one would be named.
  expect(await pinRefusals(root, new Set())).toEqual([
    'examples/reloader/Dockerfile: chancery-operator is not pinned by a digest',
  ]);
});

test('docs/releasing.md and the usage name every check, and no other', () => {
  const [, section = ''] = guide.split('## What is refused');
  const rows = [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([a-z]+)`/g)].map(([, name]) => name),
  );

  expect(rows).toEqual([...CHECKS]);
  expect(USAGE).toContain(`checks: ${CHECKS.join(', ')}`);
});

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<
    Record<
      string,
      { readonly permissions?: object; readonly steps: readonly { readonly run?: string }[] }
    >
  >;
}

const workflow = (name: string): Workflow => parse(textOf(`.github/workflows/${name}.yml`));
const commandsOf = ({ jobs }: Workflow): string =>
  Object.values(jobs)
    .flatMap(({ steps }) => steps.map(({ run }) => run ?? ''))
    .join('\n');

test('a change is checked by .ci/run and by a dry run, with no right but to read', () => {
  const ci = workflow('ci');

  expect(commandsOf(ci)).toContain('.ci/run');
  expect(commandsOf(ci)).toMatch(/npm run release -- --dry-run /);
  expect(ci.permissions).toEqual({ contents: 'read' });
  expect(Object.values(ci.jobs).flatMap(({ permissions }) => permissions ?? [])).toEqual([]);
});

test('one job publishes, and nothing else has its rights', () => {
  const release = workflow('release');

  expect(commandsOf(release)).toMatch(/npm run release -- --registry /);
  expect(commandsOf(release)).not.toContain('--dry-run');
  expect(release.permissions).toEqual({});
  expect(Object.values(release.jobs).map(({ permissions }) => permissions)).toEqual([
    { contents: 'write', 'id-token': 'write', packages: 'write' },
  ]);
});
