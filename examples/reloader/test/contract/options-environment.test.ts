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
  ])('with ALERT_SINK=%s, alerts have the sink %s', (word, sink) => {
    const { alert, warnings } = options({}, { ...ALERTING, ALERT_SINK: word });

    expect(alert).toEqual({
      sink,
      url: 'https://hooks.example/T0K3N',
      proxy: undefined,
      additionalInfo: undefined,
    });
    expect(warnings).toEqual([]);
  });

  test('alerts are sent only if ALERT_ON_RELOAD is exactly true', () => {
    for (const word of ['True', '1', '', 'false', undefined]) {
      expect(options({}, { ...ALERTING, ALERT_ON_RELOAD: word }).alert).toBeUndefined();
    }
  });

  test('alerts have the trimmed text of ALERT_ADDITIONAL_INFO, even if it is empty', () => {
    const infoOf = (text: string | undefined): string | undefined =>
      options({}, { ...ALERTING, ALERT_ADDITIONAL_INFO: text }).alert?.additionalInfo;

    expect([infoOf(' prod '), infoOf(''), infoOf(undefined)]).toEqual(['prod', '', undefined]);
  });

  test('alerts use the proxy of ALERT_WEBHOOK_PROXY, and not the proxy of HTTPS_PROXY', () => {
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
  ])('alerts %s are not sent, and a warning quotes no URL', (_, environment, problem) => {
    const { alert, warnings } = options({}, { ...ALERTING, ...environment });

    expect(alert).toBeUndefined();
    expect(warnings).toEqual([`no alerts are sent: ${problem}`]);
  });
});

describe('the option --webhook-url', () => {
  test('--webhook-url accepts an HTTP URL, and counts as absent if it is empty', () => {
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
  ])('--webhook-url refuses %j, and the error does not quote it', (url) => {
    expect(() => options({ 'webhook-url': url })).toThrow(
      expect.objectContaining({ message: '--webhook-url must be a URL with http or https' }),
    );
  });
});

describe('[reloader 20] --enable-ha', () => {
  const POD = { POD_NAME: 'reloader-1', POD_NAMESPACE: 'tools' };

  test('--enable-ha elects a leader with the Lease and the times of the original operator', () => {
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

  test.each(['POD_NAME', 'POD_NAMESPACE'])('--enable-ha needs the variable %s', (name) => {
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
  ])('--log-level=%s results in the level %s', (word, logLevel, warningCount) => {
    const { settings, warnings } = options({ 'log-level': word });

    expect(settings.logLevel).toBe(logLevel);
    expect(warnings).toHaveLength(warningCount);
  });

  test('an empty --log-level or --log-format does not change the setting from the environment', () => {
    const { settings } = options({ 'log-level': '', 'log-format': '' });

    expect(settings).not.toHaveProperty('logLevel');
    expect(settings).not.toHaveProperty('logFormat');
  });

  test('an unknown --log-level is ignored with a warning', () => {
    const { settings, warnings } = options({ 'log-level': 'loud' });

    expect(settings).not.toHaveProperty('logLevel');
    expect(warnings).toEqual([
      '--log-level accepts trace, debug, info, warning, error, fatal and panic, not "loud": it is ignored',
    ]);
  });

  test('an unknown --log-format is ignored together with --log-level, with a warning', () => {
    const { settings, warnings } = options({ 'log-format': 'JSON', 'log-level': 'debug' });

    expect(settings).not.toHaveProperty('logFormat');
    expect(settings).not.toHaveProperty('logLevel');
    expect(warnings).toEqual([
      '--log-format accepts json, not "JSON": it is ignored, and --log-level with it',
    ]);
    expect(options({ 'log-format': 'json' }).settings.logFormat).toBe('json');
  });
});

describe('variables of the original operator', () => {
  test('METRICS_COUNT_BY_NAMESPACE has an effect only if its value is `enabled`', () => {
    const isOn = (word: string): boolean =>
      options({}, { METRICS_COUNT_BY_NAMESPACE: word }).metricsByNamespace;

    expect([isOn('enabled'), isOn('true'), isOn('Enabled')]).toEqual([true, false, false]);
  });

  test('RELOADER_NAMESPACE sets the namespace of the meta information', () => {
    expect(
      options({}, { RELOADER_NAMESPACE: 'tools', RELOADER_DEPLOYMENT_NAME: 'reloader' }).metaInfo,
    ).toEqual({ namespace: 'tools', deployment: 'reloader' });
    expect(options({}, { RELOADER_NAMESPACE: 'tools' }).metaInfo?.deployment).toBe('');
    expect(options({}, { RELOADER_DEPLOYMENT_NAME: 'reloader' }).metaInfo).toBeUndefined();
  });
});
