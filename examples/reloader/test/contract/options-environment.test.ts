/** What variables, URLs and the log flags become: alerts, webhook, leader election, levels. */
import { describe, expect, test } from 'vitest';
import type { ArgumentValues, Environment } from '../../contract/arguments.ts';
import { type Options, optionsOf } from '../../contract/options.ts';

const options = (values: ArgumentValues, environment: Environment = {}): Options =>
  optionsOf(values, environment);

const ALERTING = { ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: 'https://hooks.example/T0K3N' };

describe('[reloader 21] alerts', () => {
  test.each([
    ['slack', 'slack'],
    [' Teams ', 'teams'],
    ['GCHAT', 'gchat'],
    ['raw', 'raw'],
    ['pager', 'raw'],
    ['', 'raw'],
    [undefined, 'raw'],
  ])('go to ALERT_SINK=%s as %s', (word, sink) => {
    const { alert, warnings } = options({}, { ...ALERTING, ALERT_SINK: word });

    expect(alert).toEqual({
      sink,
      url: 'https://hooks.example/T0K3N',
      proxy: undefined,
      additionalInfo: undefined,
    });
    expect(warnings).toEqual([]);
  });

  test('are on for exactly true', () => {
    for (const word of ['True', '1', '', 'false', undefined]) {
      expect(options({}, { ...ALERTING, ALERT_ON_RELOAD: word }).alert).toBeUndefined();
    }
  });

  test('have a text before them when the variable is set, even to nothing', () => {
    const infoOf = (text: string | undefined): string | undefined =>
      options({}, { ...ALERTING, ALERT_ADDITIONAL_INFO: text }).alert?.additionalInfo;

    expect([infoOf(' prod '), infoOf(''), infoOf(undefined)]).toEqual(['prod', '', undefined]);
  });

  test('have a proxy from their own variable only', () => {
    const proxyOf = (environment: Environment): string | undefined =>
      options({}, { ...ALERTING, ...environment }).alert?.proxy;

    expect(proxyOf({ HTTPS_PROXY: 'http://other:1' })).toBeUndefined();
    expect(proxyOf({ ALERT_WEBHOOK_PROXY: ' http://proxy:3128 ' })).toBe('http://proxy:3128');
  });

  test.each<[string, Environment, string]>([
    ['without a URL', { ALERT_WEBHOOK_URL: undefined }, 'ALERT_WEBHOOK_URL is not set'],
    ['with an empty URL', { ALERT_WEBHOOK_URL: ' ' }, 'ALERT_WEBHOOK_URL is not set'],
    [
      'with another scheme',
      { ALERT_WEBHOOK_URL: 'ftp://T0K3N' },
      'ALERT_WEBHOOK_URL is no HTTP URL',
    ],
    ['with a bad proxy', { ALERT_WEBHOOK_PROXY: 'T0K3N' }, 'ALERT_WEBHOOK_PROXY is no HTTP URL'],
  ])('%s are off, with a warning that quotes no URL', (_, environment, problem) => {
    const { alert, warnings } = options({}, { ...ALERTING, ...environment });

    expect(alert).toBeUndefined();
    expect(warnings).toEqual([`no alerts are sent: ${problem}`]);
  });
});

describe('--webhook-url', () => {
  test('is an HTTP URL', () => {
    expect(options({ 'webhook-url': 'https://h.example/a?b' }).webhookUrl).toBe(
      'https://h.example/a?b',
    );
    expect(options({ 'webhook-url': '' }).webhookUrl).toBeUndefined();
  });

  test.each([
    'h.example',
    'ftp://h',
    'http://',
    '://T0K3N',
  ])('is not %j, which is not quoted', (url) => {
    expect(() => options({ 'webhook-url': url })).toThrow(
      expect.objectContaining({ message: '--webhook-url must be a URL with http or https' }),
    );
  });
});

describe('[reloader 20] --enable-ha', () => {
  const POD = { POD_NAME: 'reloader-1', POD_NAMESPACE: 'tools' };

  test('elects a leader by the Lease of the original, with its times', () => {
    expect(options({ 'enable-ha': true }, POD).settings.leaderElection).toEqual({
      leaseName: 'stakater-reloader-lock',
      leaseNamespace: 'tools',
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      releaseOnStop: true,
      onLost: 'exit',
    });
    expect(options({ 'enable-ha': false }, POD).settings).not.toHaveProperty('leaderElection');
  });

  test.each(['POD_NAME', 'POD_NAMESPACE'])('needs %s', (name) => {
    for (const value of [undefined, '']) {
      expect(() => options({ 'enable-ha': true }, { ...POD, [name]: value })).toThrow(
        expect.objectContaining({
          code: 'CONFIG',
          message: `--enable-ha needs the environment variable ${name}`,
        }),
      );
    }
  });
});

describe('the log', () => {
  test.each([
    ['trace', 'debug', 1],
    ['debug', 'debug', 0],
    ['info', 'info', 0],
    ['warning', 'warn', 0],
    ['warn', 'warn', 0],
    ['Error', 'error', 0],
    ['fatal', 'error', 1],
    ['panic', 'error', 1],
  ])('level %s is %s', (word, logLevel, warningCount) => {
    const { settings, warnings } = options({ 'log-level': word });

    expect(settings.logLevel).toBe(logLevel);
    expect(warnings).toHaveLength(warningCount);
  });

  test('level and format stay those of the environment when nothing is said', () => {
    const { settings } = options({ 'log-level': '', 'log-format': '' });

    expect(settings).not.toHaveProperty('logLevel');
    expect(settings).not.toHaveProperty('logFormat');
  });

  test('an unknown level is ignored with a warning', () => {
    const { settings, warnings } = options({ 'log-level': 'loud' });

    expect(settings).not.toHaveProperty('logLevel');
    expect(warnings).toEqual([
      '--log-level accepts trace, debug, info, warning, error, fatal and panic, not "loud": it is ignored',
    ]);
  });

  test('an unknown format takes the level with it', () => {
    const { settings, warnings } = options({ 'log-format': 'JSON', 'log-level': 'debug' });

    expect(settings).not.toHaveProperty('logFormat');
    expect(settings).not.toHaveProperty('logLevel');
    expect(warnings).toEqual([
      '--log-format accepts json, not "JSON": it is ignored, and --log-level with it',
    ]);
    expect(options({ 'log-format': 'json' }).settings.logFormat).toBe('json');
  });
});

describe('variables of the original', () => {
  test('METRICS_COUNT_BY_NAMESPACE counts for the word enabled', () => {
    const isOn = (word: string): boolean =>
      options({}, { METRICS_COUNT_BY_NAMESPACE: word }).metricsByNamespace;

    expect([isOn('enabled'), isOn('true'), isOn('Enabled')]).toEqual([true, false, false]);
  });

  test('RELOADER_NAMESPACE says where the meta information is written', () => {
    expect(
      options({}, { RELOADER_NAMESPACE: 'tools', RELOADER_DEPLOYMENT_NAME: 'reloader' }).metaInfo,
    ).toEqual({ namespace: 'tools', deployment: 'reloader' });
    expect(options({}, { RELOADER_NAMESPACE: 'tools' }).metaInfo?.deployment).toBe('');
    expect(options({}, { RELOADER_DEPLOYMENT_NAME: 'reloader' }).metaInfo).toBeUndefined();
  });
});
