/** The guides for writing and running operators: what they show compiles, what they name exists. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as testing from '@chancery/testing';
import * as chancery from 'chancery';
import * as lowLevel from 'chancery/low-level';
import * as schema from 'chancery/schema';
import { expect, test } from 'vitest';
import { METRICS } from '../../operator/manager/metrics/catalogue.ts';
import { ENVIRONMENT } from '../../operator/manager/settings/settings.ts';
import { copyExamples, exampleFolder, examplesIn, guide } from './guide.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const GUIDES = [
  'operators.md',
  'custom-resources.md',
  'composites.md',
  'webhooks.md',
  'conversion.md',
  'developing.md',
  'running.md',
  'observing.md',
  'sharding.md',
  'metacontroller.md',
] as const;

test('every example of the guides compiles', { timeout: 60_000 }, async () => {
  const folder = exampleFolder();
  for (const name of GUIDES) copyExamples(name, join(folder, name));
  const tsconfig = join(folder, 'tsconfig.json');
  writeFileSync(tsconfig, '{ "extends": "../tsconfig.json", "include": ["**/*.ts"] }');
  const tsc = join(root, 'node_modules/.bin/tsc');

  const compiling = promisify(execFile)(tsc, ['-p', tsconfig], { cwd: root });
  const complaints = await compiling.then(
    () => '',
    (error: { readonly stdout: string }) => error.stdout,
  );

  expect(readdirSync(folder, { recursive: true }).length).toBeGreaterThan(10);
  expect(complaints).toBe('');
});

test.each(GUIDES)('every block of TypeScript in %s has a name, by which it is tried', (name) => {
  const text = guide(name);

  expect(examplesIn(text).size).toBe(text.match(/^```ts/gm)?.length);
});

test.each(GUIDES)('every setting and every metric that %s names exists', (name) => {
  const words = [...guide(name).matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) =>
    [...code.matchAll(/\b(?:CHANCERY_|chancery_|controller_runtime_|workqueue_)\w+/g)].map(String),
  );
  const known = [...ENVIRONMENT.map(([variable]) => variable), ...METRICS.map(({ name }) => name)];

  expect(words.filter((word) => !known.includes(word) && word !== 'chancery_')).toEqual([]);
});

test('every function that the guides name is exported', () => {
  const members = [
    ...[
      'at',
      'reconcile',
      'gone',
      'finalize',
      'sync',
      'applyOwned',
      'setStatus',
      'event',
      'store',
      'send',
    ],
    ...[
      'deleteOwned',
      'customResource',
      'withRules',
      'crdYaml',
      'onLeadershipLost',
      'validate',
      'kill',
      'run',
      'enqueue',
      'structuredClone',
    ],
  ];
  const named = GUIDES.flatMap((name) =>
    [...guide(name).matchAll(/`([a-z]\w+)\(/g)].map(([, called = '']) => called),
  );

  expect(new Set(named).size).toBeGreaterThan(8);
  const known = [chancery, lowLevel, schema, testing];
  const unknown = named.filter(
    (word) => !known.some((entry) => word in entry) && !members.includes(word),
  );
  expect(unknown).toEqual([]);
});

test('every link of a document leads to a file that is there, and to a heading of it', () => {
  const documents = [
    ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'manifests/README.md'],
    ...['testing/README.md', 'AGENTS.md', 'docs/security/threat-model.md'],
    ...readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
    ...readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('README.md'))
      .map((name) => `examples/${name}`),
  ];
  const links = documents.flatMap((document) =>
    [...readFileSync(join(root, document), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => ({ document, link }))
      .filter(({ link }) => !/^https?:/.test(link)),
  );

  expect(links.length).toBeGreaterThan(40);
  expect(links.filter(({ document, link }) => !leadsSomewhere(document, link))).toEqual([]);
});

function leadsSomewhere(document: string, link: string): boolean {
  const [file = '', heading] = link.split('#', 2);
  const target = file === '' ? join(root, document) : join(root, dirname(document), file);
  if (!existsSync(target)) return false;
  if (heading === undefined) return true;
  const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)];
  return headings.some(([, text = '']) => slugOf(text) === heading);
}

/** As GitHub names a heading. */
function slugOf(text: string): string {
  const kept = text.toLowerCase().replaceAll(/[^\p{L}\p{N}\s-]/gu, '');
  return kept.replaceAll(' ', '-');
}
