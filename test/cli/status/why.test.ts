import { expect, test } from 'vitest';
import { invoke } from '../invocation.ts';
import { askedOperator, controllerWith, failAttempt } from './asked-operator.ts';

test('`why` prints what a key waits for, what queued it, its last error and its next attempt', async () => {
  const { url, memory } = await askedOperator([
    controllerWith('web', {
      'demo/a': {
        ...{ object: 'cached', state: 'delayed', dueInMs: 1_300, failures: 3, priority: 0 },
        waits: [{ policy: 'min-interval', forMs: 400 }],
      },
    }),
    controllerWith('other', {}),
  ]);
  failAttempt(memory, 'web', 'a');

  const { exit, stdout, stderr } = invoke(['why', 'demo/a', '--url', url]);

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([
    'demo/a in web: failing: next attempt in 1.3 s: the back-off after 3 failures in a row',
    '  object    is in the cache',
    '  state     delayed at priority 0',
    '  waits     back-off for 1.3 s: the back-off after 3 failures in a row',
    '  waits     min-interval for 400 ms: minIntervalMs of the controller keeps the attempts of a key apart',
    '  next      at 1970-01-01T00:00:01Z, in 1.3 s',
    '  last      error at 1970-01-01T00:00:00Z after 12 ms: TypeError',
    '  woken by  Secret demo/pw via mapping, 2 times',
    '  failing   since 1970-01-01T00:00:00Z, 3 failures in a row',
    '  log       the lines with reconcileId id-1 say more',
  ]);
  expect(stderr.lines).toEqual([]);
});

test('`why` exits with 4 for a key that no controller knows, and lists the controllers', async () => {
  const { url } = await askedOperator([controllerWith('web', {}), controllerWith('other', {})]);

  const { exit, stdout, stderr } = invoke(['why', 'demo/nobody', '--url', url]);

  expect(await exit).toBe(4);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual([
    'chancery why: no controller knows demo/nobody; asked: web, other',
  ]);
});

test('`why` can be limited to one controller, and lists the existing names if the given name is wrong', async () => {
  const keys = { 'demo/a': { object: 'cached' } } as const;
  const { url } = await askedOperator([controllerWith('web', keys), controllerWith('other', keys)]);

  const one = invoke(['why', 'demo/a', '--controller', 'other', '--url', url, '--json']);
  const none = invoke(['why', 'demo/a', '-c', 'wbe', '--url', url]);

  expect([await one.exit, await none.exit]).toEqual([0, 1]);
  expect(one.stdout.records[0]).toMatchObject({
    asked: ['other'],
    known: [{ controller: 'other', verdict: 'done' }],
  });
  expect(none.stderr.lines).toEqual([
    `chancery why: ${url} answers 404: there is no controller of this name, but web, other`,
  ]);
});

test.each([
  [[], 2, 'Usage: chancery why KEY [OPTION...]'],
  [
    ['a/b/c'],
    2,
    'chancery why: KEY must be NAMESPACE/NAME, or NAME for an object without a namespace, not "a/b/c"',
  ],
  [
    ['a', 'b'],
    2,
    'chancery why: KEY must be NAMESPACE/NAME, or NAME for an object without a namespace, not "a b"',
  ],
  [
    ['a/b', '--url', 'localhost'],
    2,
    'chancery why: --url must be a URL such as http://127.0.0.1:8081, not "localhost"',
  ],
])('`why` with the arguments %j exits with %i', async (args, code, line) => {
  const { exit, stderr } = invoke(['why', ...args]);

  expect(await exit).toBe(code);
  expect(stderr.lines[0]).toBe(line);
});

test("`why` escapes the control characters of a controller's name", async () => {
  const { url } = await askedOperator([
    controllerWith('web\u001b[2J', { 'demo/a': { object: 'cached' } }),
  ]);

  const { exit, stdout } = invoke(['why', 'demo/a', '--url', url]);

  expect(await exit).toBe(0);
  expect(stdout.lines[0]).toMatch(/^demo\/a in web\\u001b\[2J: /);
});
