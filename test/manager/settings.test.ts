import { describe, expect, test } from 'vitest';
import { leaseNameOf } from '../../operator/controller/controller.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';
import {
  ENVIRONMENT,
  parseSecondsRange,
  settingsFrom,
} from '../../operator/manager/settings/settings.ts';

const RECORD = { endpoint: false, folder: undefined, megabytes: 64, minutes: 10 };

const DEFAULTS = {
  apiUrl: 'http://127.0.0.1:8001',
  namespaces: ['default'],
  namespace: 'default',
  podNamespace: undefined,
  podName: undefined,
  healthPort: 8_081,
  healthHost: '::',
  record: RECORD,
  statusPage: true,
  metricsPort: 8_080,
  metricsHost: '::',
  httpHosts: [],
  metricsPrefix: undefined,
  metricsDetailed: false,
  readySources: false,
  webhookListen: { host: '127.0.0.1', port: 9_440 },
  logLevel: 'info',
  logFormat: 'auto',
  watchTimeoutSeconds: undefined,
  relistIntervalMs: undefined,
  crdWait: 'forever',
  installCrds: false,
  forceCrds: false,
  leaderElection: undefined,
  warmup: true,
  shutdownTimeoutMs: 25_000,
  strictFields: false,
  selfTest: 'warn',
  webhookGate: undefined,
  insecureAllowToken: false,
};

describe('settingsFrom', () => {
  test('an empty environment gives the defaults', () => {
    expect(settingsFrom({})).toEqual(DEFAULTS);
  });

  test('variables that are empty or blank count as unset', () => {
    const blank = Object.fromEntries(ENVIRONMENT.map(([name], index) => [name, ' '.repeat(index)]));

    expect(settingsFrom(blank)).toEqual(DEFAULTS);
  });

  test.each([
    ['CHANCERY_API_URL', 'unix:/run/api.sock', { apiUrl: 'unix:/run/api.sock' }],
    ['WATCH_NAMESPACE', 'team-a', { namespaces: ['team-a'], namespace: 'team-a' }],
    ['res_namespace', 'team-b', { namespaces: ['team-b'], namespace: 'team-b' }],
    ['POD_NAMESPACE', 'ops', { namespaces: ['ops'], namespace: 'ops', podNamespace: 'ops' }],
    ['POD_NAME', 'operator-1', { podName: 'operator-1' }],
    ['CHANCERY_HEALTH_PORT', '0', { healthPort: 0 }],
    ['CHANCERY_HEALTH_PORT', '65535', { healthPort: 65_535 }],
    ['CHANCERY_HEALTH_HOST', '127.0.0.1', { healthHost: '127.0.0.1' }],
    ['CHANCERY_WEBHOOK_LISTEN', '[::1]:0', { webhookListen: { host: '::1', port: 0 } }],
    [
      'CHANCERY_WEBHOOK_LISTEN',
      'unix:/run/gate.sock',
      { webhookListen: { host: '127.0.0.1', port: 9_440, socket: '/run/gate.sock' } },
    ],
    ['CHANCERY_LOG_LEVEL', 'debug', { logLevel: 'debug' }],
    ['CHANCERY_LOG_LEVEL', 'error', { logLevel: 'error' }],
    ['CHANCERY_LOG_FORMAT', 'pretty', { logFormat: 'pretty' }],
    ['CHANCERY_LOG_FORMAT', 'json', { logFormat: 'json' }],
    ['CHANCERY_WATCH_TIMEOUT', '10-20', { watchTimeoutSeconds: [10, 20] }],
    ['CHANCERY_WATCH_TIMEOUT', '30', { watchTimeoutSeconds: [30, 30] }],
    ['CHANCERY_RELIST_INTERVAL', '600', { relistIntervalMs: 600_000 }],
    ['CHANCERY_CRD_WAIT', 'timeout', { crdWait: 'timeout' }],
    ['CHANCERY_CRD_WAIT', 'optional', { crdWait: 'optional' }],
    ['CHANCERY_RELIST_INTERVAL', '0', { relistIntervalMs: 0 }],
    ['CHANCERY_RECORD_DIR', '/flights', { record: { ...RECORD, folder: '/flights' } }],
    ['CHANCERY_RECORD_MINUTES', '3', { record: { ...RECORD, minutes: 3 } }],
    ['CHANCERY_RECORD_MEGABYTES', '8', { record: { ...RECORD, megabytes: 8 } }],
    ['CHANCERY_RECORD_ENDPOINT', 'true', { record: { ...RECORD, endpoint: true } }],
    ['CHANCERY_STATUS_PAGE', 'false', { statusPage: false }],
    ['CHANCERY_METRICS_PORT', '0', { metricsPort: 0 }],
    ['CHANCERY_METRICS_HOST', '127.0.0.1', { metricsHost: '127.0.0.1' }],
    ['CHANCERY_HTTP_HOSTS', 'Ops.Example.com., a.dev', { httpHosts: ['ops.example.com', 'a.dev'] }],
    ['CHANCERY_METRICS_PREFIX', 'acme_', { metricsPrefix: 'acme_' }],
    ['CHANCERY_METRICS_DETAILED', 'true', { metricsDetailed: true }],
    ['CHANCERY_READY_SOURCES', 'true', { readySources: true }],
    ['CHANCERY_INSTALL_CRDS', 'true', { installCrds: true }],
    ['CHANCERY_INSTALL_CRDS', 'force', { installCrds: true, forceCrds: true }],
    ['CHANCERY_SELF_TEST', 'require', { selfTest: 'require' }],
    ['CHANCERY_SELF_TEST', 'off', { selfTest: 'off' }],
    [
      'CHANCERY_WEBHOOK_GATE',
      'op-gate.demo.svc:9443',
      { webhookGate: { service: 'op-gate.demo.svc', port: 9443 } },
    ],
    ['CHANCERY_INSECURE_ALLOW_TOKEN', 'true', { insecureAllowToken: true }],
    ['CHANCERY_WARMUP', 'false', { warmup: false }],
    ['CHANCERY_SHUTDOWN_TIMEOUT', '0', { shutdownTimeoutMs: 0 }],
    ['CHANCERY_SHUTDOWN_TIMEOUT', '-1', { shutdownTimeoutMs: Number.POSITIVE_INFINITY }],
    ['CHANCERY_SHUTDOWN_TIMEOUT', '50', { shutdownTimeoutMs: 50_000 }],
  ])('the setting %s=%s is parsed', (name, value, expected) => {
    expect(settingsFrom({ [name]: ` ${value}\n` })).toEqual({ ...DEFAULTS, ...expected });
  });

  test.each([
    ['test', true],
    ['development', true],
    ['production', false],
  ])('with NODE_ENV=%s an unknown field fails a write: %s', (value, strictFields) => {
    expect(settingsFrom({ NODE_ENV: ` ${value}\n` })).toEqual({ ...DEFAULTS, strictFields });
  });

  test('settingsFrom reads no undocumented variable', () => {
    const read = new Set<string>();
    const environment = new Proxy<Record<string, string>>(
      {},
      { get: (_target, name) => void read.add(String(name)) },
    );

    settingsFrom(environment);

    expect([...read].toSorted()).toEqual(ENVIRONMENT.map(([name]) => name).toSorted());
  });

  test.each([
    [{ WATCH_NAMESPACE: 'w', res_namespace: 'r', POD_NAMESPACE: 'p' }, 'w'],
    [{ res_namespace: 'r', POD_NAMESPACE: 'p' }, 'r'],
    [{ POD_NAMESPACE: 'p' }, 'p'],
    [{}, 'default'],
    [{ WATCH_NAMESPACE: '', POD_NAMESPACE: 'p' }, 'p'],
    [{ WATCH_NAMESPACE: '', CHANCERY_EMPTY_WATCH_NAMESPACE: 'own', POD_NAMESPACE: 'p' }, 'p'],
    [{ WATCH_NAMESPACE: '', CHANCERY_EMPTY_WATCH_NAMESPACE: 'all', POD_NAMESPACE: 'p' }, undefined],
    [{ WATCH_NAMESPACE: 'w', CHANCERY_EMPTY_WATCH_NAMESPACE: 'all', POD_NAMESPACE: 'p' }, 'w'],
    [{ WATCH_NAMESPACE: '*', POD_NAMESPACE: 'p' }, undefined],
    [{ res_namespace: '*' }, undefined],
    [{ WATCH_NAMESPACE: 'w', res_namespace: '*' }, 'w'],
  ])('with the environment %j the namespace %s is watched', (environment, namespace) => {
    expect(settingsFrom(environment).namespace).toBe(namespace);
  });

  test.each([
    ['WATCH_NAMESPACE', 'a,b', ['a', 'b']],
    ['WATCH_NAMESPACE', ' b , a,b ', ['b', 'a']],
    ['res_namespace', 'a,b', ['a', 'b']],
    ['WATCH_NAMESPACE', '*', undefined],
  ])('[C-22] with %s=%s each of the namespaces %j is watched once', (name, value, namespaces) => {
    const settings = settingsFrom({ [name]: value });

    expect(settings.namespaces).toEqual(namespaces);
    expect(settings.namespace).toBe(namespaces?.[0]);
  });

  const NAMESPACES = 'namespaces, as a,b, or "*" for all';
  const NAMESPACE = 'the name of one namespace, or "*" for all';
  const RELIST = 'a whole number from 600 to 31536000, or 0 for none';
  const SECONDS = 'two whole numbers as MIN-MAX, 0 < MIN <= MAX';

  const LOOPBACK =
    'HOST:PORT on loopback, such as 127.0.0.1:9440, or unix:/path.sock with at most 107 bytes';

  test.each([
    ['CHANCERY_WEBHOOK_LISTEN', '0.0.0.0:9440', LOOPBACK],
    ['CHANCERY_WEBHOOK_LISTEN', ':9440', LOOPBACK],
    ['CHANCERY_WEBHOOK_LISTEN', '127.0.0.1.example.com:9440', LOOPBACK],
    ['CHANCERY_WEBHOOK_LISTEN', 'localhost:65536', LOOPBACK],
    ['CHANCERY_WEBHOOK_LISTEN', 'unix:gate.sock', LOOPBACK],
    ['CHANCERY_WEBHOOK_LISTEN', `unix:/${'a'.repeat(107)}`, LOOPBACK],
    ['CHANCERY_HEALTH_PORT', '65536', 'a whole number from 0 to 65535'],
    ['CHANCERY_HEALTH_PORT', '-1', 'a whole number from 0 to 65535'],
    ['CHANCERY_HEALTH_PORT', '8e3', 'a whole number from 0 to 65535'],
    ['CHANCERY_HEALTH_PORT', '80.5', 'a whole number from 0 to 65535'],
    ['CHANCERY_RELIST_INTERVAL', '30m', RELIST],
    ['CHANCERY_RELIST_INTERVAL', '599', RELIST],
    ['CHANCERY_RELIST_INTERVAL', '31536001', RELIST],
    ['CHANCERY_CRD_WAIT', 'never', 'forever, timeout or optional'],
    ['CHANCERY_METRICS_PORT', '-1', 'a whole number from 0 to 65535'],
    ['CHANCERY_METRICS_PREFIX', 'a-b', 'letters, digits and _, and begin with no digit'],
    ['CHANCERY_METRICS_DETAILED', 'yes', 'true or false'],
    ['CHANCERY_READY_SOURCES', '1', 'true or false'],
    ['CHANCERY_INSTALL_CRDS', 'yes', 'true, force or false'],
    ['CHANCERY_SELF_TEST', 'strict', 'warn, require or off'],
    ['CHANCERY_WEBHOOK_GATE', 'op-gate.demo.svc', 'SERVICE.NAMESPACE.svc:PORT'],
    ['CHANCERY_WEBHOOK_GATE', '10.0.0.1:9443', 'SERVICE.NAMESPACE.svc:PORT'],
    ['CHANCERY_WEBHOOK_GATE', 'a.b.svc:70000', 'SERVICE.NAMESPACE.svc:PORT'],
    ['CHANCERY_INSECURE_ALLOW_TOKEN', '1', 'true or false'],
    ['CHANCERY_WARMUP', '1', 'true or false'],
    ['CHANCERY_LEADER_ELECTION', 'on', 'true or false'],
    ['CHANCERY_RELEASE_ON_STOP', 'TRUE', 'true or false'],
    ['CHANCERY_SHUTDOWN_TIMEOUT', '25s', 'a whole number from 0 to 999999, or -1 for no limit'],
    ['CHANCERY_SHUTDOWN_TIMEOUT', '-2', 'a whole number from 0 to 999999, or -1 for no limit'],
    ['CHANCERY_LEASE_DURATION', '0', 'a whole number from 1 to 86400'],
    ['CHANCERY_LEASE_DURATION', '10', 'more than the 10 of CHANCERY_LEASE_RENEW_DEADLINE'],
    ['CHANCERY_LEASE_RENEW_DEADLINE', '2.5', 'a whole number from 1 to 86400'],
    [
      'CHANCERY_LEASE_RENEW_DEADLINE',
      '2',
      'more than 1.2 times the 2 of CHANCERY_LEASE_RETRY_PERIOD',
    ],
    ['CHANCERY_LEASE_RETRY_PERIOD', '-1', 'a whole number from 1 to 86400'],
    ['CHANCERY_SHARDS', '65', 'a whole number from 1 to 64'],
    ['CHANCERY_SHARDS', '12', 'a power of two from 1 to 64'],
    ['CHANCERY_SHARD_BY', 'name', 'uid or namespace'],
    ['CHANCERY_SHARD_RETRY_PERIOD', '0', 'a whole number from 1 to 3600'],
    ['CHANCERY_LEASE_NAME', 'My_Lease', 'at most 253 of a-z, 0-9, "-" and "."'],
    ['CHANCERY_LEASE_NAMESPACE', 'a/b', 'at most 253 of a-z, 0-9, "-" and "."'],
    ['CHANCERY_LOG_LEVEL', 'INFO', 'debug, info, warn or error'],
    ['CHANCERY_LOG_FORMAT', 'text', 'auto, json or pretty'],
    ['CHANCERY_WATCH_TIMEOUT', '20-10', SECONDS],
    ['CHANCERY_WATCH_TIMEOUT', '0-10', SECONDS],
    ['CHANCERY_WATCH_TIMEOUT', '10-', SECONDS],
    ['CHANCERY_WATCH_TIMEOUT', '5m', SECONDS],
    ['WATCH_NAMESPACE', 'team-a,', NAMESPACES],
    ['WATCH_NAMESPACE', 'team-a,*', NAMESPACES],
    ['WATCH_NAMESPACE', 'team-a team-b', NAMESPACES],
    ['WATCH_NAMESPACE', '../kube-system', NAMESPACES],
    ['res_namespace', 'Team', NAMESPACES],
    ['POD_NAMESPACE', 'team-a,team-b', NAMESPACE],
    ['POD_NAMESPACE', 'a'.repeat(64), NAMESPACE],
  ])('the setting %s=%s is refused, and the error contains the expected and the given value', (name, value, needs) => {
    const attempt = (): unknown => settingsFrom({ [name]: value });

    expect(attempt).toThrow(ConfigurationError);
    expect(attempt).toThrow(`${name} must be ${needs}, not ${JSON.stringify(value)}`);
  });
});

describe('settings of leader election', () => {
  const ON = { CHANCERY_LEADER_ELECTION: 'true' };

  test('leader election is off by default, whatever else is set', () => {
    expect(settingsFrom({ CHANCERY_LEASE_NAME: 'a' }).leaderElection).toBeUndefined();
  });

  test('by default, leader election has the usual times, and uses the namespace of the Pod', () => {
    expect(settingsFrom({ ...ON, POD_NAMESPACE: 'ops' }).leaderElection).toEqual({
      leaseName: undefined,
      leaseNamespace: 'ops',
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      releaseOnStop: true,
      onLost: 'exit',
    });
  });

  test('leader election takes every setting from the environment', () => {
    const { leaderElection } = settingsFrom({
      ...ON,
      POD_NAMESPACE: 'ops',
      CHANCERY_LEASE_NAME: 'a.b-c',
      CHANCERY_LEASE_NAMESPACE: 'leases',
      CHANCERY_LEASE_DURATION: '6',
      CHANCERY_LEASE_RENEW_DEADLINE: '4',
      CHANCERY_LEASE_RETRY_PERIOD: '1',
      CHANCERY_RELEASE_ON_STOP: 'false',
      CHANCERY_ON_LEADERSHIP_LOST: 'standby',
    });

    expect(leaderElection).toEqual({
      leaseName: 'a.b-c',
      leaseNamespace: 'leases',
      leaseDurationMs: 6_000,
      renewDeadlineMs: 4_000,
      retryPeriodMs: 1_000,
      releaseOnStop: false,
      onLost: 'standby',
    });
  });

  test('if leader election has no namespace, the error contains the variables to set', () => {
    expect(() => settingsFrom(ON)).toThrow(/set CHANCERY_LEASE_NAMESPACE, or POD_NAMESPACE/);
  });

  test.each([
    [['website', 'other'], 'website-leader'],
    [[], 'chancery-leader'],
  ])('for the controllers %j the default Lease is %s', (names, lease) => {
    expect(leaseNameOf(names.map((name) => ({ name })))).toBe(lease);
  });
});

describe('parseSecondsRange', () => {
  test.each([
    ['1', [1, 1]],
    ['300-600', [300, 600]],
    ['999999', [999_999, 999_999]],
    ['1000000', undefined],
    ['0', undefined],
    ['2-1', undefined],
    ['1-2-3', undefined],
    ['', undefined],
  ])('parseSecondsRange parses or refuses %j', (text, expected) => {
    expect(parseSecondsRange(text)).toEqual(expected);
  });
});

test('the Lease of sharded replicas lasts for an hour at most', () => {
  const environment = { CHANCERY_SHARDS: '4', POD_NAMESPACE: 'demo' };

  expect(() => settingsFrom({ ...environment, CHANCERY_LEASE_DURATION: '3601' })).toThrow(
    'CHANCERY_LEASE_DURATION must be at most 3600 with CHANCERY_SHARDS, not "3601"',
  );
  expect(settingsFrom({ ...environment, CHANCERY_LEASE_DURATION: '3600' }).sharding).toBeDefined();
});

test('sharded replicas use the durations of leader election, even if leader election is off', () => {
  const environment = {
    CHANCERY_SHARDS: '4',
    CHANCERY_LEASE_DURATION: '40',
    CHANCERY_LEASE_RENEW_DEADLINE: '30',
    CHANCERY_SHARD_RETRY_PERIOD: '20',
    POD_NAMESPACE: 'demo',
    POD_UID: 'uid',
  };

  const settings = settingsFrom(environment);

  expect(settings.leaderElection).toBeUndefined();
  expect(settings.sharding).toMatchObject({
    ...{ groups: 4, by: 'uid', leaseNamespace: 'demo', podUid: 'uid' },
    ...{ leaseDurationMs: 40_000, renewDeadlineMs: 30_000, retryPeriodMs: 20_000 },
  });
  expect(settingsFrom({ ...environment, CHANCERY_LEADER_ELECTION: 'true' }).sharding).toEqual(
    settings.sharding,
  );
});
