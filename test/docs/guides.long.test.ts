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
import { slugOf } from '../../docs/.vitepress/site/markdown.ts';
import { allPages } from '../../docs/.vitepress/site/pages.ts';
import { METRICS } from '../../operator/manager/metrics/catalogue.ts';
import { ENVIRONMENT } from '../../operator/manager/settings/settings.ts';
import { copyExamples, exampleFolder, examplesIn, guide } from './guide.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const GUIDES = [
  'guides/write/operators.md',
  'guides/write/custom-resources.md',
  'guides/write/composites.md',
  'guides/write/webhooks.md',
  'guides/write/conversion.md',
  'start/developing.md',
  'guides/operate/running.md',
  'guides/operate/observing.md',
  'guides/operate/sharding.md',
  'guides/write/metacontroller.md',
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

test.each(GUIDES)('every TypeScript block in %s has a name by which a test can run it', (name) => {
  const text = guide(name);

  expect(examplesIn(text).size).toBe(text.match(/^```ts/gm)?.length);
});

test.each(GUIDES)('every setting and metric that %s mentions exists', (name) => {
  const words = [...guide(name).matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) =>
    [...code.matchAll(/\b(?:CHANCERY_|chancery_|controller_runtime_|workqueue_)\w+/g)].map(String),
  );
  const known = [...ENVIRONMENT.map(([variable]) => variable), ...METRICS.map(({ name }) => name)];

  expect(words.filter((word) => !known.includes(word) && word !== 'chancery_')).toEqual([]);
});

test('every function that the guides mention is exported', () => {
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

test('every link in a document leads to an existing file, and to an existing heading in it', () => {
  const documents = ['README.md', ...allPages()];
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
