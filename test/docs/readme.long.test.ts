import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiServer, eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { allPages } from '../../docs/.vitepress/site/pages.ts';
import { GROUPS } from '../scripts/scripts.ts';
import { fencedIn, folderWithChancery, packageJson, pathWith, root, shell } from './readme.ts';

test('in each document every npm script and every name after `--` exist', () => {
  const documents = ['README.md', ...allPages()].filter((file) => file !== 'CHANGELOG.md');
  const all = documents.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const text = all.replaceAll(/^## Start\n.*?(?=^## )/gms, ''); // the scripts of a new project
  const named = [
    ...text.matchAll(/npm (?:run )?(start|test|(?<=run )[\w:]+)(?: -- ([a-z][\w-]*))?/g),
  ]
    .map(([, script = '', name]) => ({ script, name }))
    .filter(({ script }) => script !== 'dev'); // of a new project

  expect(new Set(named.map(({ script }) => script)).size).toBeGreaterThan(10);
  expect(named.filter(({ script }) => packageJson.scripts[script] === undefined)).toEqual([]);
  expect(
    named.filter(({ script, name = '' }) => {
      const group = GROUPS[script];
      return group !== undefined && name !== '' && group.scripts[name] === undefined;
    }),
  ).toEqual([]);
});

test('[found 16] a page with a command that installs an operator says how its images are built', () => {
  const pages = ['README.md', ...allPages()];
  const texts = pages.map((page) => [page, readFileSync(join(root, page), 'utf8')] as const);
  const installing = texts.filter(
    ([, text]) =>
      /^(?: {4})?(?:kubectl .*apply .*-k|helm install) /m.test(text) && /chancery-proxy/.test(text),
  );
  const silent = installing.filter(([, text]) => !/docker build/.test(text));

  expect(installing.length).toBeGreaterThan(5);
  expect(silent.map(([page]) => page)).toEqual([]);
});

test('[found 16] the README says what its first commands need in addition to chancery', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const sectionOf = (title: string): string =>
    readme.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

  expect(sectionOf('A cluster API to try things on')).toContain('@chancery/testing');
  expect(sectionOf('From a shell loop')).toContain('kubectl proxy');
});

test('the operator in the README runs unchanged', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const [code = ''] = fencedIn('An operator');
  const folder = folderWithChancery();
  writeFileSync(join(folder, 'greeter.ts'), code);
  server.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default', labels: { greet: 'yes' } },
  });

  shell('exec chancery run greeter.ts'.replace('greeter.ts', join(folder, 'greeter.ts')), {
    PATH: pathWith(folder),
    CHANCERY_API_URL: server.url,
    CHANCERY_HEALTH_PORT: '0',
    CHANCERY_METRICS_PORT: '0',
  });

  await eventually(() => {
    expect(server.get('v1', 'ConfigMap', 'default', 'a')).toMatchObject({
      data: { greeting: 'hello' },
    });
    return true;
  });
});

test('the test in the README passes unchanged', { timeout: 60_000 }, async () => {
  const [greeter = '', itsTest = ''] = fencedIn('An operator');
  // Beside the toolkit's own tests, where its name and the runner are found.
  const folder = mkdtempSync(join(root, 'test', '.readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'greeter.ts'), greeter);
  writeFileSync(join(folder, 'greeter.test.ts'), itsTest);

  const { child, stdout } = shell(`exec node node_modules/vitest/vitest.mjs run ${folder}`, {
    PATH: pathWith(folder),
    NO_COLOR: '1',
  });
  const [code] = await once(child, 'close');

  expect({ code, stdout: stdout.join('\n') }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/Tests +1 passed/),
  });
});
