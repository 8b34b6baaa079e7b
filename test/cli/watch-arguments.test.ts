import { describe, expect, test } from 'vitest';
import { parseFlags } from '../../operator/cli/flags.ts';
import { helpText } from '../../operator/cli/help.ts';
import { type WatchArguments, watchArguments } from '../../operator/cli/watch/arguments.ts';
import { WATCH } from '../../operator/cli/watch/table.ts';
import { type Settings, settingsFrom } from '../../operator/manager/settings/settings.ts';

const parseWatchArguments = (args: readonly string[], settings: Settings): WatchArguments =>
  watchArguments(parseFlags(args, WATCH), settings);

const parse = (...args: readonly string[]) => parseWatchArguments(args, settingsFrom({}));

describe('the label selector of `watch`', () => {
  test.each([
    [['-l', 'a=b']],
    [['-la=b']],
    [['-l=a=b']],
    [['--selector', 'a=b']],
    [['--selector=a=b']],
    [['-l', 'first=one', '-l', 'a=b']],
  ])('the label selector is read from %j', (args) => {
    expect(parse('cm', ...args).labelSelector).toBe('a=b');
  });
});

test('`watch` takes from the environment what the arguments do not set', () => {
  const settings = settingsFrom({
    CHANCERY_API_URL: 'unix:/run/api.sock',
    WATCH_NAMESPACE: 'team',
    CHANCERY_WATCH_TIMEOUT: '30-60',
    CHANCERY_RELIST_INTERVAL: '0',
  });

  expect(parseWatchArguments(['cm'], settings)).toEqual({
    resource: 'cm',
    name: undefined,
    namespace: 'team',
    labelSelector: undefined,
    fieldSelector: undefined,
    apiUrl: 'unix:/run/api.sock',
    relistIntervalMs: 0,
    watchTimeoutSeconds: [30, 60],
    syncMarker: false,
    once: false,
  });
});

test('[found 18] the help of WATCH_NAMESPACE says "one namespace" for `watch`, which takes only one', () => {
  const rows = helpText(WATCH)
    .split('\n')
    .filter((line) => /^ +\w*NAMESPACE /.test(line));
  const row = rows.find((line) => line.includes(' WATCH_NAMESPACE '));

  expect(row).toContain('one namespace, or "*" for all');
  expect(rows.join('\n')).not.toContain('a,b');
  for (const several of ['a,b', 'team-1, team-2', 'x,y,z']) {
    const settings = settingsFrom({ WATCH_NAMESPACE: several });
    expect(() => parseWatchArguments(['pods'], settings)).toThrow('name one with --namespace');
  }
});

test('[C-22] several namespaces in WATCH_NAMESPACE are refused, unless an argument chooses one of them', () => {
  const settings = settingsFrom({ WATCH_NAMESPACE: 'a,b' });
  const namespaceOf = (...args: readonly string[]): string | undefined =>
    parseWatchArguments(args, settings).namespace;

  expect(() => namespaceOf('cm')).toThrow('got several in WATCH_NAMESPACE');
  expect(namespaceOf('cm', '-n', 'b')).toBe('b');
  expect(namespaceOf('cm', '-A')).toBeUndefined();
  expect(() => namespaceOf('/api/v1/namespaces/c/configmaps')).not.toThrow();
});

test('options and arguments may be mixed, and options override the environment', () => {
  const parsed = parseWatchArguments(
    ['-A', 'deploy', '--resync', '1h30m', 'web', '--watch-timeout=5', '--server=http://[::1]:9'],
    settingsFrom({ WATCH_NAMESPACE: 'team', CHANCERY_WATCH_TIMEOUT: '30-60' }),
  );

  expect(parsed).toMatchObject({
    resource: 'deploy',
    name: 'web',
    namespace: undefined,
    apiUrl: 'http://[::1]:9',
    relistIntervalMs: 5_400_000,
    watchTimeoutSeconds: [5, 5],
  });
});

test.each([
  ['cm/web', { resource: 'cm', name: 'web' }],
  ['deployments.apps/web', { resource: 'deployments.apps', name: 'web' }],
  ['deployments.apps/v1', { resource: 'deployments.apps/v1', name: undefined }],
  ['widgets.example.com/v1beta2', { resource: 'widgets.example.com/v1beta2', name: undefined }],
  ['/apis/apps/v1/deployments', { resource: '/apis/apps/v1/deployments', name: undefined }],
])('the argument %s contains a resource and the name of an object', (text, expected) => {
  expect(parse(text)).toMatchObject(expected);
});

test.each([
  [[], 'expected a RESOURCE, such as configmaps; got none'],
  [['cm', 'a', 'b'], 'expected RESOURCE and at most one NAME, got "b" as well'],
  [['cm/a', 'b'], 'expected one NAME, got "a" and "b"'],
  [['cm', 'a,b'], 'expected the NAME of an object, got "a,b"'],
  [['cm', ''], 'expected the NAME of an object, got ""'],
  [['cm', '..'], 'expected the NAME of an object, got ".."'],
  [['/api/v1/pods?watch=true'], 'expected a path such as'],
  [['/api/v1/pods', '-n', 'demo'], 'a path names its namespace itself'],
  [['cm', '-n', 'Demo'], '--namespace must be at most 63 of a-z, 0-9 and "-", not "Demo"'],
  [['cm', '-n', ''], '--namespace must be'],
  [['cm', '-n', 'a', '-A'], 'expected --namespace or --all-namespaces, got both'],
  [['cm', '-n'], "option '-n, --namespace <value>' argument missing"],
  [['cm', '-n', '-5'], '-n needs a value; write one that begins with a dash as -n=-VALUE'],
  [['cm', '--namespace', '-A'], '--namespace needs a value; write one that begins with a dash'],
  [['cm', '--namespce', 'a'], "unknown option '--namespce'; did you mean --namespace?"],
  [['cm', '-l', ''], '--selector must not be empty'],
  [['cm', '-l', 'a=b=c'], 'invalid label selector: found "=", expected a comma'],
  [['cm', '--field-selector', 'name'], '--field-selector must be such as'],
  [['cm', '--field-selector', ''], '--field-selector must be such as'],
  [['cm', '--server', 'https://host'], 'unusable API URL: scheme https: is not http:'],
  [['cm', '--resync', '9m59s'], '--resync must be 10m or more, or 0 for never, not "9m59s"'],
  [['cm', '--resync', '1d'], '--resync must be a duration such as 90s, 30m or 1h'],
  [['cm', '--watch-timeout', '60-30'], '--watch-timeout must be seconds as MIN-MAX'],
  [['cm', '--sync-marker=yes'], "option '--sync-marker' does not take an argument"],
])('the arguments %j are refused: %s', (args, message) => {
  expect(() => parse(...args)).toThrow(message);
});
