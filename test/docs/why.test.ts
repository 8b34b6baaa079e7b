/** docs/guides/operate/observing.md: what it says of `chancery why`, and the pictures of the status page. */
import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REMEMBERED_KEYS } from '../../operator/manager/status-page/key-memory.ts';
import { POLICY_WORDS } from '../../operator/manager/status-page/key-waits.ts';
import { invoke } from '../cli/invocation.ts';
import { askedOperator, controllerWith, failAttempt } from '../cli/status/asked-operator.ts';
import { guide, rowsOf } from './guide.ts';

const page = guide('guides/operate/observing.md');
const [, chapter = ''] = /^## Why a key is not done\n(.*?)^## /ms.exec(page) ?? [];
const indented = chapter
  .split('\n')
  .flatMap((line) => (line.startsWith('    ') ? line.slice(4) : []));

test('`chancery why` prints what observing.md shows', async () => {
  const [, command = '', ...shown] = indented;
  const startMs = Date.parse('2030-01-01T12:00:00Z');
  const waiting = controllerWith('shop', {
    'demo/web': {
      ...{ object: 'cached', state: 'delayed', dueInMs: 1_300, failures: 9, priority: 0 },
      waits: [{ policy: 'min-interval', forMs: 400 }],
    },
  });
  const { url, memory } = await askedOperator([waiting], { startMs });
  failAttempt(memory, 'shop', 'web', '4b7e0a52-9c1d-4d0f-8a63-1f2e6c7d8b90');

  const [name, ...args] = command.split(' ');
  const env = { CHANCERY_HEALTH_PORT: new URL(url).port };
  const { exit, stdout } = invoke(args, { env });

  expect(name).toBe('chancery');
  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual(shown);
});

test('observing.md explains the name of each policy that can make a key wait', () => {
  const explained = rowsOf(chapter).flatMap(([names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );

  expect(explained).toEqual(expect.arrayContaining(Object.keys(POLICY_WORDS)));
});

test('observing.md says how many keys are remembered', () => {
  const [failing, others] = Object.values(REMEMBERED_KEYS).map((count) =>
    count.toLocaleString('en'),
  );

  expect(chapter).toContain(`of ${failing} keys that failed and of ${others} others`);
});

test('the status page answers each path that observing.md has for `chancery why`', () => {
  const server = readFileSync(
    new URL('../../operator/manager/status-page/status-page.ts', import.meta.url),
    'utf8',
  );
  const paths = [...chapter.matchAll(/`(\/[a-z]+\.json)/g)].map(([, path]) => path);

  expect(paths).toEqual(['/why.json', '/keys.json']);
  for (const path of paths) expect(server).toContain(`case '${path}':`);
});

test.each(
  [...page.matchAll(/\]\((images\/[^)]+)\)/g)].map(([, path = '']) => path),
)('the picture %s exists, and is smaller than 150 kB', (path) => {
  const { size } = statSync(new URL(`../../docs/${path}`, import.meta.url));

  expect(size).toBeGreaterThan(10_000);
  expect(size).toBeLessThan(150_000);
});
