import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { AmbassadorError, ConfigurationError, OperatorError } from '../../operator/core/errors.ts';
import { createLogger } from '../../operator/manager/observe/logger.ts';
import type { LogLevel } from '../../operator/manager/settings/settings.ts';
import { ApiError } from '../../operator/model/status.ts';

type Logger = ReturnType<typeof createLogger>;

/** The lines that `use` logs, as they are on the stream. */
function logged(use: (log: Logger) => void, level: LogLevel = 'debug'): Record<string, unknown>[] {
  const stream = new PassThrough();
  use(createLogger(level, stream));
  const text = String(stream.read() ?? '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('createLogger', () => {
  test("the logger writes one JSON object per line, with the level's name, the time in RFC 3339, the facts and the message", () => {
    const [line] = logged((log) => log.child({ controller: 'web' }).info({ count: 2 }, 'began'));

    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      controller: 'web',
      count: 2,
      msg: 'began',
    });
  });

  test.each<[LogLevel, string[]]>([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ])('the logger at level %s writes the levels %j', (level, shown) => {
    const lines = logged((log) => {
      for (const each of ['debug', 'info', 'warn', 'error'] as const) log[each]({}, 'm');
    }, level);

    expect(lines.map((line) => line.level)).toEqual(shown);
  });

  test('an error of the toolkit is logged with code, layer, context and cause, and without a stack', () => {
    const error = new AmbassadorError('request failed', {
      code: 'AMBASSADOR_UNREACHABLE',
      fate: 'not-sent',
      context: { path: '/api' },
      cause: new Error('connect ECONNREFUSED'),
    });

    const [line] = logged((log) => log.warn({ err: error }, 'm'));

    expect(line?.err).toEqual({
      type: 'AmbassadorError',
      code: 'AMBASSADOR_UNREACHABLE',
      layer: 'ambassador',
      message: 'request failed',
      context: { path: '/api' },
      cause: 'connect ECONNREFUSED',
    });
  });

  test('fields that an error does not have are omitted from its log entry', () => {
    const [line] = logged((log) => log.warn({ err: new ConfigurationError('m') }, 'm'));

    expect(line?.err).toEqual({
      type: 'ConfigurationError',
      code: 'CONFIG',
      layer: 'configuration',
      message: 'm',
    });
  });

  test('the log of an ApiError contains its status and reason, but not its details', () => {
    const error = new ApiError({ code: 409, reason: 'Conflict', details: { name: 'x' } });

    const [line] = logged((log) => log.warn({ err: error }, 'm'));

    expect(line?.err).toMatchObject({ context: { status: 409, reason: 'Conflict' } });
    expect(line?.err).not.toHaveProperty('details');
  });

  test('an error that is not from the toolkit counts as a bug, and is logged with its stack', () => {
    const [line] = logged((log) => log.error({ err: new TypeError('x is undefined') }, 'm'));

    expect(line?.err).toEqual({
      type: 'TypeError',
      message: 'x is undefined',
      stack: expect.stringContaining('logger.test.ts'),
    });
  });

  test('properties that a library adds to its error are not logged, except its code', () => {
    const error = Object.assign(new Error('failed'), {
      code: 'ECONNRESET',
      request: { headers: { cookie: 'secret-value' } },
    });

    const [line] = logged((log) => log.error({ err: error }, 'm'));

    expect(line?.err).toMatchObject({ code: 'ECONNRESET', message: 'failed' });
    expect(JSON.stringify(line)).not.toContain('secret-value');
  });

  test('a bug in user code is logged with its stack', () => {
    const error = new OperatorError('mapping failed', {
      code: 'USER_CODE',
      layer: 'user-code',
      cause: new TypeError('x is undefined'),
    });

    const [line] = logged((log) => log.error({ err: error }, 'm'));

    expect(line?.err).toMatchObject({
      layer: 'user-code',
      cause: { type: 'TypeError', stack: expect.stringContaining('logger.test.ts') },
    });
    expect(line?.err).not.toHaveProperty('stack');
  });

  test('a thrown value that is not an Error is logged as text', () => {
    const [line] = logged((log) => log.error({ err: 'plain text' }, 'm'));

    expect(line?.err).toEqual({ message: 'plain text' });
  });

  test('secrets are redacted, as fields and inside an object', () => {
    const secrets = {
      data: 'S3CRET',
      stringData: 'S3CRET',
      token: 'S3CRET',
      authorization: 'S3CRET',
    };

    const lines = logged((log) => {
      log.info(secrets, 'm');
      log.info({ object: secrets, name: 'shown' }, 'm');
    });

    expect(JSON.stringify(lines)).not.toContain('S3CRET');
    expect(lines[0]).toMatchObject({ data: '[redacted]', token: '[redacted]' });
    expect(lines[1]).toMatchObject({ name: 'shown', object: { stringData: '[redacted]' } });
  });

  const secret = { metadata: { name: 'db' }, data: { url: 'S3CRET' } };
  const chain = new OperatorError('outer', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { token: 'S3CRET', count: 1 },
    cause: Object.assign(new TypeError('inner'), { data: 'S3CRET' }),
  });

  test.each<[string, Record<string, unknown>]>([
    ['four levels down', { a: { b: { c: { password: 'S3CRET', shown: 1 } } } }],
    ['in a list of lists', { objects: [[secret], { items: [secret] }] }],
    [
      'in a Map',
      {
        byName: new Map<unknown, unknown>([
          ['db', secret],
          ['api-token', 'S3CRET'],
        ]),
      },
    ],
    ['in a Set', { all: new Set([secret]) }],
    ['in the result of toJSON', { held: { toJSON: () => ({ inner: secret }) } }],
    ['in the context of an error', { err: chain }],
    ['in an error under another name', { failure: chain, all: [chain] }],
    ['in bytes', { body: Buffer.from('S3CRET'), more: new Uint8Array([83]) }],
    ['under other spellings', { one: { 'x-auth-token': 'S3CRET', API_KEY: 'S3CRET' } }],
    ['in a property named __proto__', JSON.parse('{"a":{"__proto__":{"data":"S3CRET"}}}')],
  ])('[security 29] [attack A-13] a secret %s is redacted in the log', (_, fields) => {
    const stream = new PassThrough();
    const log = createLogger('debug', stream);

    log.info(fields, 'm');
    log.child(fields).info({}, 'm');

    const text = String(stream.read());
    expect(text.trim().split('\n')).toHaveLength(2);
    expect(text).not.toMatch(/S3CRET|UzNDUkVU|\[83/);
  });

  test('[attack A-13] facts beside a secret are logged, and values that JSON cannot express cause no error', () => {
    const around: Record<string, unknown> = { name: 'a', large: 12345678901234567890n };
    around.self = around;
    Object.defineProperty(around, 'broken', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });

    const [first, second, third] = logged((log) => {
      log.info({ at: new Date(0), from: { names: new Map([['a', 1]]), token: 't' } }, 'm');
      log.info({ around }, 'm');
      log.info({ failure: new ConfigurationError('unusable') }, 'm');
    });

    expect(first).toMatchObject({
      at: '1970-01-01T00:00:00.000Z',
      from: { names: { a: 1 }, token: '[redacted]' },
    });
    expect(second).toMatchObject({
      around: { name: 'a', large: '12345678901234567890', broken: '[unreadable]' },
    });
    expect(JSON.stringify(second)).toContain('"self":"[deep]"');
    expect(third).toMatchObject({ failure: { code: 'CONFIG', message: 'unusable' } });
  });

  test('[attack A-13] an endless value is logged in one line of bounded length', () => {
    let deep: object = { password: 'S3CRET' };
    for (let level = 0; level < 20_000; level++) deep = { deep };
    const wide = Array.from({ length: 100_000 }, (_, index) => ({ index }));

    const lines = logged((log) => {
      log.info({ deep }, 'm');
      log.info({ wide, many: new Map(wide.map((each, index) => [index, each])) }, 'm');
    });

    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines[0])).toContain('"[deep]"');
    expect(JSON.stringify(lines[1]).length).toBeLessThan(30_000);
    expect(JSON.stringify(lines)).not.toContain('S3CRET');
  });

  test('[attack A-12] a long text from user code is cut off in the log', () => {
    const long = `first${'x'.repeat(1_000_000)}last`;
    const bug = new TypeError(long);

    const lines = logged((log) => {
      log.info({ long, list: [long], map: new Map([[long, long]]), [long]: 1 }, 'm');
      log.info({ held: { toJSON: () => long }, large: 10n ** 10_000n }, long);
      log.error({ err: bug, failure: bug }, 'm');
      log.error({ err: long }, 'm');
      log.child({ long }).info({}, 'm');
    });

    expect(lines).toHaveLength(5);
    for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(30_000);
    const left = /^first[x]+ … \(997961 characters omitted\) … [x]+last$/;
    expect(lines[0]).toMatchObject({ long: expect.stringMatching(left) });
    expect(lines[1]).toMatchObject({ msg: expect.stringMatching(left) });
  });

  test('[attack A-12] a stack with several causes is logged whole', () => {
    const error = new TypeError('outer');
    error.stack = `TypeError: outer\n${'    at place\n'.repeat(400)}    at its end`;

    const [line] = logged((log) => log.error({ err: error }, 'm'));

    expect(line?.err).toMatchObject({ stack: error.stack });
  });
});
