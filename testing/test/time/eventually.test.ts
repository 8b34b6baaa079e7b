import assert from 'node:assert/strict';
import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { describe, expect, test } from 'vitest';
import { startTestEnv } from '../../src/env/start-test-env.ts';
import { configMap } from '../../src/objects/config.ts';
import { startOperator } from '../../src/operator/test-operator.ts';
import { defaultTimeoutMs, eventually } from '../../src/time/eventually.ts';
import { operatorRuns } from '../../src/time/running-operators.ts';

test('`eventually` returns the first result of its probe that is neither false nor undefined', async () => {
  const answers = [undefined, false, 0];

  const answer = await eventually(() => answers.shift());

  expect(answer).toBe(0);
});

test('`eventually` calls a probe again after it has thrown', async () => {
  let calls = 0;

  const answer = await eventually(async () => {
    if (++calls < 3) throw new Error('not yet');
    return 'done';
  });

  expect(answer).toBe('done');
});

test('[T-4] `eventually` fails with the last error of its probe', async () => {
  const waiting = eventually(
    () => {
      throw new Error('still no Pod');
    },
    { timeoutMs: 30 },
  );

  await expect(waiting).rejects.toMatchObject({
    message: 'not within 30 ms: still no Pod',
    cause: { message: 'still no Pod' },
  });
});

test('`eventually` fails at its limit if the probe never answers', async () => {
  const failure = eventually(() => new Promise<true>(() => {}), { timeoutMs: 30 });

  await expect(failure).rejects.toMatchObject({ message: expect.stringContaining('within 30 ms') });
});

describe('[T-6] `eventually` with a probe that asserts', () => {
  test.each<[string, (count: number) => void | Promise<void>]>([
    ['with expect', (count) => expect(count).toBe(3)],
    [
      'with expect, in a block',
      (count) => {
        expect(count).toBeGreaterThan(2);
      },
    ],
    [
      'with expect, asynchronously',
      async (count) => {
        await Promise.resolve();
        expect(count).toBe(3);
      },
    ],
    ['with resolves', (count) => expect(Promise.resolve(count)).resolves.toBe(3)],
    ['with node:assert', (count) => assert.equal(count, 3)],
    [
      'with node:assert, asynchronously',
      async (count) => {
        await Promise.resolve();
        assert.equal(count, 3);
      },
    ],
  ])('`eventually` waits until an assertion %s stops throwing', async (_, assertion) => {
    let count = 0;

    await eventually(() => assertion(++count));

    expect(count).toBe(3);
  });

  test('`eventually` accepts an assertion that holds at the first attempt', async () => {
    let calls = 0;

    await eventually(() => {
      expect(++calls).toBe(1);
    });
    await eventually(async () => {
      await expect(Promise.resolve(++calls)).resolves.toBe(2);
    });

    expect(calls).toBe(2);
  });

  test('`eventually` returns the value of a probe that asserts, and calls the probe again after it returns false', async () => {
    const answers = [false, 'late'];

    const answer = await eventually(() => {
      expect(answers).not.toHaveLength(0);
      return answers.shift();
    });

    expect(answer).toBe('late');
  });
});

describe('[T-6] `eventually` with a probe that does not assert', () => {
  test('`eventually` repeats a probe that returns undefined, even if the probe threw an error before', async () => {
    const answers = [
      () => Promise.reject(new Error('connection refused')),
      async () => undefined,
      async () => 'found',
    ];

    const answer = await eventually(() => answers.shift()?.());

    expect(answer).toBe('found');
  });

  test('`eventually` repeats a probe that returns undefined, even if a function that the probe calls makes assertions', async () => {
    const answers = [undefined, 'found'];
    const checked = (): string | undefined => {
      expect(answers).not.toHaveLength(0);
      return answers.shift();
    };

    const answer = await eventually(() => checked());

    expect(answer).toBe('found');
  });

  test('`eventually` fails at its limit if the probe always returns undefined', async () => {
    const failure = eventually(async () => undefined, { timeoutMs: 30 });

    await expect(failure).rejects.toThrow('not within 30 ms: the condition never held');
  });
});

test('[T-6] the failure of `eventually` contains the last error, even if the last attempt never ends', async () => {
  let calls = 0;

  const failure = eventually(
    () => {
      calls += 1;
      if (calls > 2) return new Promise<never>(() => {});
      throw new Error(`error ${calls}`);
    },
    { timeoutMs: 60 },
  );

  await expect(failure).rejects.toMatchObject({
    message: 'not within 60 ms: error 2',
    cause: { message: 'error 2' },
  });
});

test('[T-6] the failure of `eventually` contains the last warnings of running operators, without values of objects', async () => {
  await using env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  const namespace = await env.namespace();
  await env.create(configMap('a', { namespace, data: { password: 'hunter2' } }));
  const failing = controller({
    name: 'failing',
    for: configMaps,
    async reconcile(object, { log }) {
      log.warn({ object, count: 3 }, 'the printer burns');
      throw new Error('no paper');
    },
  });
  await using operator = startOperator({ url: env.url, namespace, controllers: [failing] });
  await eventually(() => operator.log.some(({ message }) => message === 'the printer burns'));

  const failure = eventually(() => false, { timeoutMs: 200 });

  const { message } = await failure.then(
    () => new Error('it held'),
    (error: Error) => error,
  );
  expect(message).toContain('the condition never held\n  operator: ');
  expect(message).toMatch(/operator: warn the printer burns .*count=3/);
  expect(message).toContain('no paper');
  expect(message.split('\n').length).toBeLessThanOrEqual(6);
  expect(message).not.toContain('hunter2');
});

test('the failure of `eventually` contains the beginning and the end of a long error', async () => {
  const forget = operatorRuns({
    log: [
      {
        level: 'warn',
        message: 'reconcile failed',
        fields: {
          controller: 'web',
          text: 'x'.repeat(5_000),
          err: new Error(
            `PersistentVolumeClaim "data" is invalid: ${'y'.repeat(5_000)}: Forbidden`,
          ),
        },
      },
    ],
  });

  const { message } = await eventually(() => false, { timeoutMs: 20 }).then(
    () => new Error('it held'),
    (error: Error) => error,
  );
  forget();

  expect(message).toContain('err="PersistentVolumeClaim');
  expect(message).toContain(': Forbidden"');
  expect(message.length).toBeLessThan(2_000);
});

test('[T-6] the failure of `eventually` does not contain warnings of stopped operators', async () => {
  await using env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  const namespace = await env.namespace();
  await env.create(configMap('a', { namespace }));
  const failing = controller({
    name: 'failing',
    for: configMaps,
    reconcile: async () => Promise.reject(new Error('no paper')),
  });
  const operators = [0, 1].map(() =>
    startOperator({ url: env.url, namespace, controllers: [failing] }),
  );
  await eventually(() => operators.every(({ log }) => log.some(({ level }) => level === 'warn')));
  await operators[0]?.stop();
  await operators[1]?.kill();

  const failure = eventually(() => false, { timeoutMs: 30 });

  await expect(failure).rejects.toMatchObject({
    message: 'not within 30 ms: the condition never held',
  });
});

test.each([
  [undefined, 4_000],
  [5_000, 4_000],
  [1_000, 800],
  [40_000, 10_000],
  [0, 10_000],
])('[T-6] with a vitest testTimeout of %s ms, the limit of `eventually` is %i ms', (testTimeout, limitMs) => {
  expect(defaultTimeoutMs({ __vitest_worker__: { config: { testTimeout } } }, {})).toBe(limitMs);
  expect(defaultTimeoutMs({}, {})).toBe(4_000);
});

test('[T-6] the limit of `eventually` follows the testTimeout of the running vitest', () => {
  expect(defaultTimeoutMs(globalThis, {})).toBe(10_000); // vitest.config.ts has more than five times as much
});

test('with node:test, which has no timeout, `eventually` has its longest limit', () => {
  expect(defaultTimeoutMs({}, { NODE_TEST_CONTEXT: 'child-v8' })).toBe(10_000);
});
