import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../operator/core/clock.ts';
import { ConfigurationError } from '../../../../operator/core/errors.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { createJq, type JqOptions } from '../../src/jq/create-jq.ts';
import type { Jq } from '../../src/jq/jq.ts';

const { signal } = new AbortController();

function jqWith(options: Partial<JqOptions> = {}): Jq {
  const jq = createJq({ clock: systemClock, ...options });
  onTestFinished(() => jq.close());
  return jq;
}

test('jq: outputs have sorted keys and all digits, and an invalid input does not affect other inputs', async () => {
  const jq = jqWith();
  const inputs = [
    '{"pens":{"b":12345678901234567890,"a":1.0,"10":2,"9":1},"n":1}',
    '{"pens":"hunter2","n":"hunter2"}',
    '{"n":2}',
  ];

  expect(await jq.run('.pens, (.n + 1) # both', inputs, signal)).toEqual([
    { outputs: ['{"10":2,"9":1,"a":1,"b":12345678901234567890}', '2'] },
    { failure: 'error', message: 'string and number cannot be added' },
    { outputs: ['null', '3'] },
  ]);
  expect(await jq.run('.a', ['{"a":"\\ud800x"}'], signal)).toEqual([{ outputs: ['"\ufffdx"'] }]);
  expect(await jq.run('empty', ['1'], signal)).toEqual([{ outputs: [] }]);
});

test('jq: a program has no access to the environment, other inputs or files, and cannot end the thread', async () => {
  const jq = jqWith();
  expect(await jq.run('env, $ENV, input_filename', ['1'], signal)).toEqual([
    { outputs: ['{}', '{}', 'null'] },
  ]);
  const refused = { failure: 'error', message: expect.stringContaining('is not available') };
  for (const program of ['input', 'inputs', 'halt', 'halt_error', 'modulemeta']) {
    expect(await jq.run(program, ['"a"', '"b"'], signal), program).toEqual([refused, refused]);
  }
  await expect(jq.check('import "a" as a; 1')).rejects.toThrow('unexpected import');
});

test("jq: a program that cannot be compiled causes a configuration error with jq's message", async () => {
  const jq = jqWith();
  await expect(jq.check('.data | frobnicate')).rejects.toThrow(
    new ConfigurationError('not a jq program: frobnicate/0 is not defined'),
  );
  for (const program of ['(', ') | (', '1] , [2']) {
    await expect(jq.check(program), program).rejects.toThrow(ConfigurationError);
  }
});

test('jq: a message never quotes the input', async () => {
  const jq = jqWith();
  const input = '{"a":"hunter2","l":["hunter2"]}';
  for (const program of ['error(.a)', '.a - 1', '.a | keys', '.l | .a', '.a[]', '.a | fromjson']) {
    const [outcome] = await jq.run(program, [input], signal);
    expect(outcome, program).toEqual({ failure: 'error', message: expect.any(String) });
    expect(JSON.stringify(outcome)).not.toContain('hunter2');
  }
});

test('[found 8] jq: a program cannot get values into a message by imitating an error message of jq', async () => {
  const jq = jqWith();
  const said = fc.stringMatching(/^[a-z]{6,20}$/).map((word) => `zz${word}`);
  const shapes = [
    (value: string) => `${value} is not available`,
    (value: string) => `string (x) is not ${value}`,
    (value: string) => `string (x) has no ${value}`,
    (value: string) => `string (x) cannot be ${value}`,
    (value: string) => `array (x) and number (y) cannot be ${value}`,
    (value: string) => `Cannot index string with "${value}"`,
    (value: string) => `Cannot check whether object has a ${value} key`,
    (value: string) => `string (x) cannot be negated ${value}`,
    (value: string) => `null (${value}) and null (x) cannot be added`,
  ];

  await fc.assert(
    fc.asyncProperty(said, fc.constantFrom(...shapes), async (value, shape) => {
      const [outcome] = await jq.run('error(.)', [JSON.stringify(shape(value))], signal);

      expect(outcome).toMatchObject({ failure: 'error' });
      expect(JSON.stringify(outcome)).not.toContain(value);
    }),
    propertyRuns(),
  );
});

test.each([
  ['.a + 1', 'string and number cannot be added'],
  ['.a | keys', 'string has no keys'],
  ['.a | has("b")', 'Cannot check whether string has a string key'],
  ['.a.b', 'Cannot index string'],
  ['input', 'input is not available'],
])('[found 8] jq: the error of %s still contains the types of the values', async (program, message) => {
  const [outcome] = await jqWith().run(program, ['{"a":"hunter2"}'], signal);

  expect(outcome).toEqual({ failure: 'error', message });
});

test('[hooks 22] jq: a program that never ends or takes all memory is stopped at its limit, and other programs are not stopped', async () => {
  const jq = jqWith({ timeLimitMs: 300, memoryLimitBytes: 32 * 2 ** 20 });
  const limit = { failure: 'limit', message: 'it took too long or too much memory' };
  const endless = 'if . == 1 then last(repeat(1)) else . end';
  expect(await jq.run(endless, ['0', '1', '2'], signal)).toEqual([
    { outputs: ['0'] },
    limit,
    { outputs: ['2'] },
  ]);
  const large = '[limit(.; repeat("0123456789"))] | length';
  expect(await jq.run(large, ['2', '100000000'], signal)).toEqual([{ outputs: ['2'] }, limit]);
});

test('[hooks 22] jq: an output that is too large fails only for that input, and the thread is replaced', async () => {
  const jq = jqWith({ timeLimitMs: 60_000 });
  const [small, large] = await jq.run('[range(.)]', ['2', '400000'], signal);
  expect(small).toEqual({ outputs: ['[0,1]'] });
  expect(large).toMatchObject({ failure: 'limit' });
  expect(await jq.run('. + 1', ['1'], signal)).toEqual([{ outputs: ['2'] }]);
});

test('jq: without the jq package only the program `.` works, which sorts the fields', async () => {
  const jq = jqWith({
    findPackage: () => {
      throw new Error('not found');
    },
  });
  expect(await jq.run('.', ['{"b":1,"a":2}'], signal)).toEqual([{ outputs: ['{"a":2,"b":1}'] }]);
  await expect(jq.check('.a')).rejects.toThrow('npm install jq-web@0.6.2');
});

test('jq: an aborted call rejects at once, and later programs still run', async () => {
  const jq = jqWith({ timeLimitMs: 500 });
  const stop = new AbortController();
  const run = jq.run('last(repeat(1))', ['1'], stop.signal);
  const next = jq.run('. + 1', ['1'], signal);
  stop.abort(new Error('enough'));
  await expect(run).rejects.toThrow('enough');
  expect(await next).toEqual([{ outputs: ['2'] }]);
});

test('[found 2] jq: a program that is too slow for the inputs of one group still runs for the inputs of other groups', async () => {
  const jq = jqWith({ timeLimitMs: 300 });
  const program = 'if .slow then last(repeat(1)) else .name end';
  const slow = (name: string) => JSON.stringify({ slow: true, name });
  const quick = (name: string) => JSON.stringify({ name });
  for (let round = 0; round < 3; round++) await jq.run(program, [slow('x')], signal, ['hostile']);

  const inputs = [quick('a'), slow('b'), quick('c'), quick('d')];
  const outcomes = await jq.run(program, inputs, signal, ['team', 'hostile', 'hostile', 'other']);

  const paused = { failure: 'limit', message: expect.stringContaining('too often') };
  expect(outcomes).toEqual([{ outputs: ['"a"'] }, paused, paused, { outputs: ['"d"'] }]);
  expect(await jq.run(program, [quick('e')], signal)).toEqual([{ outputs: ['"e"'] }]);
});
