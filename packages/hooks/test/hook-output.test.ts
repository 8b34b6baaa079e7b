/** Lines of a hook → lines of the log; variables of this process → those of a hook. */
import { expect, test } from 'vitest';
import { type LogLine, recordingLog } from '../../../test/support/recording-log.ts';
import { hookEnvironment } from '../src/run/hook-environment.ts';
import { hookOutput } from '../src/run/hook-output.ts';

function logged(lines: readonly string[], readsJson = false): readonly LogLine[] {
  const { lines: written, logFor } = recordingLog();
  const onLine = hookOutput(logFor({}), { hook: 'a.sh' }, readsJson);
  for (const line of lines) onLine('stdout', line);
  return written;
}

test('each output line of a hook becomes one log line with the fields of the run, and blank lines are dropped', () => {
  expect(logged(['one', '  ', '', '{"level":"error"}'])).toEqual([
    {
      level: 'info',
      message: 'the hook wrote',
      fields: { hook: 'a.sh', output: 'stdout', line: 'one' },
    },
    {
      level: 'info',
      message: 'the hook wrote',
      fields: { hook: 'a.sh', output: 'stdout', line: '{"level":"error"}' },
    },
  ]);
});

test('a long line becomes several log lines, and loses nothing', () => {
  const line = `${'a'.repeat(1_024)}${'😀'.repeat(1_024)}b`;

  const written = logged([line]);

  expect(written.map(({ fields }) => fields.part)).toEqual([undefined, 2, 3]);
  expect(written.map(({ fields }) => fields.line).join('')).toBe(line);
});

test('after 10,000 lines of a run, one warning is logged and no further line', () => {
  const written = logged(Array.from({ length: 10_500 }, () => 'again'));

  expect(written).toHaveLength(10_001);
  expect(written.at(-1)).toMatchObject({ level: 'warn', fields: { lines: 10_000 } });
});

test.each([
  ['{"level":"WARNING","msg":"low","free":3}', 'warn', 'low', { free: 3 }],
  ['{"level":"fatal","message":"gone","time":"now"}', 'error', 'gone', undefined],
  ['{"level":{"toString":1},"msg":"odd"}', 'info', 'odd', undefined],
  ['{"level":"constructor","msg":5}', 'info', 'the hook wrote', undefined],
  ['{"hook":"forged","output":"x"}', 'info', 'the hook wrote', { hook: 'forged', output: 'x' }],
])('if the option for JSON is set, the line %s is logged with the level, message and fields that it contains', (line, level, message, fields) => {
  expect(logged([line], true)).toEqual([
    { level, message, fields: { hook: 'a.sh', output: 'stdout', ...(fields && { fields }) } },
  ]);
});

test.each([
  '{broken',
  '[1]',
  'null',
  '"text"',
])('a line %s that is not a JSON object is logged as text', (line) => {
  expect(logged([line], true)).toMatchObject([{ level: 'info', fields: { line } }]);
});

test('[hooks S4] a hook gets only the variables that are allowed by the list of the contract or by name', () => {
  const ours = {
    HOME: '/root',
    LC_TIME: 'C',
    POD_NAME: 'hooks-0',
    CHANCERY_API_URL: 'http://127.0.0.1:1',
    CHANCERY_LOG_LEVEL: 'debug',
    KUBERNETES_SERVICE_HOST: '10.0.0.1',
    NODE_OPTIONS: '--inspect',
    DB_PASSWORD: 'x',
    ZONE: '',
    UNSET: undefined,
  };

  expect(hookEnvironment(ours, 'unix:/run/p.sock', ['ZONE', 'UNSET'])).toEqual({
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    LC_TIME: 'C',
    POD_NAME: 'hooks-0',
    ZONE: '',
    CHANCERY_API_URL: 'unix:/run/p.sock',
  });
});
