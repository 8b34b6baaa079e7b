import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiServer, eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { fencedIn, folderWithChancery, packageJson, pathWith, root, shell } from './readme.ts';

test('every npm script that a document names exists', () => {
  const documents = ['README.md', 'CONTRIBUTING.md', 'docs/dependencies.md'];
  const all = documents.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const text = all.replace(/^## Start\n.*?(?=^## )/ms, ''); // the scripts of a new project
  const named = [...text.matchAll(/npm (?:run )?(start|test|(?<=run )[\w:]+)/g)].map(
    ([, name]) => name,
  );

  expect(new Set(named).size).toBeGreaterThan(3);
  expect(named.filter((name) => packageJson.scripts[name ?? ''] === undefined)).toEqual([]);
});

test('the operator of the README runs as it stands there', async () => {
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

test('the test of the README passes as it stands there', { timeout: 60_000 }, async () => {
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
