import { expect, test } from 'vitest';
import { parseFlags } from '../../../../operator/cli/flags.ts';
import { HOOKS } from '../../../../operator/cli/hooks/table.ts';
import { type HooksArguments, hooksArguments } from '../../src/command/arguments.ts';

const parseHooksArguments = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): HooksArguments => hooksArguments(parseFlags(args, HOOKS, env));

test('supported options of shell-operator keep their names, and so do the environment variables for these options', () => {
  const env = {
    SHELL_OPERATOR_HOOKS_DIR: '/own',
    SHELL_OPERATOR_TMP_DIR: '/scratch',
    SHELL_OPERATOR_LISTEN_PORT: '9115',
    SHELL_OPERATOR_LISTEN_ADDRESS: '127.0.0.1',
    SHELL_OPERATOR_PROMETHEUS_METRICS_PREFIX: 'farm_',
    LOG_LEVEL: 'debug',
    LOG_TYPE: 'text',
    LOG_PROXY_HOOK_JSON: 'true',
  };

  const { dir, runner, settings, metricsPrefix } = parseHooksArguments(['start'], env);
  const given = parseHooksArguments(
    [
      '--hooks-dir=/other',
      '--tmp-dir=/t',
      '--listen-port=9',
      '--log-type=json',
      '--metrics-prefix=a_',
    ],
    env,
  );

  expect(dir).toBe('/own');
  expect(runner).toMatchObject({ tmpDir: '/scratch', proxiesJsonLines: true });
  expect(settings).toEqual({
    metricsPort: 9115,
    metricsHost: '127.0.0.1',
    logLevel: 'debug',
    logFormat: 'pretty',
  });
  expect(metricsPrefix).toBe('farm_');
  expect(given).toMatchObject({
    dir: '/other',
    runner: { tmpDir: '/t' },
    settings: { metricsPort: 9, logFormat: 'json' },
    metricsPrefix: 'a_',
  });
});

test('[hooks S14] for an option of shell-operator that this runner does not support, the error suggests a replacement', () => {
  expect(() => parseHooksArguments(['/hooks', '--kube-config=kube.config'], {})).toThrow(
    '--kube-config: the runner has no credentials: they belong to the kubectl proxy beside it',
  );
  expect(() => parseHooksArguments(['/hooks', '--jq-library-path', '/lib'], {})).toThrow(
    '--jq-library-path: filters have no modules',
  );
});

test('[hooks S14] for a variable of shell-operator that this runner does not support, a message suggests a replacement', () => {
  const { ignored } = parseHooksArguments(['/hooks'], {
    DEBUG_UNIX_SOCKET: '/tmp/debug',
    SHELL_OPERATOR_NAMESPACE: 'farm',
  });

  expect(ignored.map((line) => line.split(':')[0])).toEqual([
    'SHELL_OPERATOR_NAMESPACE',
    'DEBUG_UNIX_SOCKET',
  ]);
});

test.each([
  [[], 'expected one folder of hooks; got 0'],
  [['/a', '/b'], 'expected one folder of hooks; got 2'],
  [[''], 'the folder of hooks is an empty text'],
  [['start', ''], 'the folder of hooks is an empty text'],
  [['--hooks-dir='], 'the folder of hooks is an empty text'],
  [['/a', '--max-processes=0'], '--max-processes must be a whole number from 1 to 999999, not "0"'],
  [['/a', '--max-attempts=x'], '--max-attempts must be a whole number from 1 to 999999, not "x"'],
  [['/a', '--hook-timeout=soon'], '--hook-timeout must be a duration such as 90s or 5m'],
  [['/a', '--log-type=xml'], '--log-type must be json, text or color, not "xml"'],
  [['/a', '--listen-port=http'], '--listen-port must be a whole number from 0 to 65535'],
  [['/a', '--metrics-prefix=a-b '], '--metrics-prefix must be letters, digits and _'],
  [['/a', '--hook-env=A=B'], '--hook-env must be the name of a variable without its value'],
  [['/a', '--follow'], '--follow is for --dry-run; got no --dry-run'],
])('the argument %j is refused', (args, message) => {
  expect(() => parseHooksArguments(args, {})).toThrow(message);
});

test.each([
  ['90s', 90_000],
  ['5m', 300_000],
  ['1.5s', 1_500],
  ['0', 0],
])('the option --hook-timeout %s means %d ms', (text, timeoutMs) => {
  const { runner } = parseHooksArguments(['/hooks', `--hook-timeout=${text}`], {});

  expect(runner.timeoutMs).toBe(timeoutMs);
});
