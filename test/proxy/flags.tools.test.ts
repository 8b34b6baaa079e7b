/**
 * The flags of every `kubectl proxy` here: their defaults, how they are split, and what it says when it starts.
 *
 * @module-tag kubectl
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawServer } from '../transport/raw-server.ts';
import { proxyOf, untilTestEnds } from './support/kubectl-process.ts';
import { KUBECTLS, minorSaidBy } from './support/kubectls.ts';
import { run } from './support/run-kubectl.ts';
import { REFUSED, send } from './support/send.ts';
import { shared } from './support/shared.ts';
import { openUpstream } from './support/upstream.ts';

const upstream = shared(openUpstream);

const names = KUBECTLS.map(({ name }) => name).join(', ');
const matrix =
  KUBECTLS.length > 1
    ? `the versions are ${names}`
    : `${names} is the only version here: put kubectl.1.<minor> beside it to see what differs`;

test(`proxy: each kubectl reports the version that its name says (${matrix})`, () => {
  expect(KUBECTLS.map(({ path }) => minorSaidBy(path))).toEqual(KUBECTLS.map(({ minor }) => minor));
});

const help = new Map<number, string>();
beforeAll(async () => {
  const texts = await Promise.all(KUBECTLS.map(({ path }) => run([path, 'proxy', '--help'])));
  for (const [at, { stdout }] of texts.entries()) help.set(KUBECTLS[at]?.minor ?? 0, stdout);
});
afterAll(() => help.clear());

test('proxy 1: the help of kubectl proxy is the same from 1.27 to 1.33', () => {
  const texts = [...help].filter(([minor]) => minor >= 27 && minor <= 33).map(([, text]) => text);

  expect(new Set(texts).size).toBeLessThanOrEqual(1);
});

describe.each(KUBECTLS)('kubectl $name', (kubectl) => {
  test('proxy 1: kubectl proxy has the flags and defaults that the image overrides', () => {
    const flags = (help.get(kubectl.minor) ?? '').matchAll(/^ +(?:-\w, )?--([\w-]+)=(.*):$/gm);

    expect(Object.fromEntries([...flags].map(([, name, value]) => [name, value]))).toEqual({
      'accept-hosts': String.raw`'^localhost$,^127\.0\.0\.1$,^\[::1\]$'`,
      'accept-paths': "'^.*'",
      address: "'127.0.0.1'",
      'api-prefix': "'/'",
      'append-server-path': 'false',
      'disable-filter': 'false',
      keepalive: '0s',
      port: '8001',
      'reject-methods': "'^$'",
      'reject-paths': "'^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach'",
      'unix-socket': "''",
      www: "''",
      'www-prefix': "'/static/'",
    });
  });

  test('proxy 2: kubectl proxy prints only one line, with its address and the port that --port=0 chose', async () => {
    const proxy = await untilTestEnds(proxyOf(kubectl, [`--server=${upstream().url}`]));

    const { status } = await send(proxy.url, 'GET', '/version');

    expect(status).toBe(200);
    expect(proxy.output()).toMatch(/^Starting to serve on 127\.0\.0\.1:[1-9]\d*\n$/);
    expect(proxy.log()).toBe('');
  });

  test('proxy 2: kubectl proxy ends with a reason when its port is taken or a pattern is invalid', async () => {
    const { url } = await rawServer(() => undefined);
    const start = [kubectl.path, 'proxy', `--server=${upstream().url}`] as const;

    const [taken, wrong] = await Promise.all([
      run([...start, `--port=${new URL(url).port}`]),
      run([...start, '--port=0', '--accept-paths=^/(?!x)']),
    ]);

    expect(taken).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('bind: address already in use'),
    });
    expect(wrong).toMatchObject({
      exitCode: 255,
      stdout: '',
      stderr: expect.stringContaining('invalid or unsupported Perl syntax'),
    });
  });

  describe('with an empty --accept-paths before a non-empty --accept-paths', () => {
    const proxy = shared(() =>
      proxyOf(kubectl, [
        `--server=${upstream().url}`,
        '--accept-paths=',
        '--accept-paths=^/version$',
      ]),
    );

    test('proxy 3: only the last --accept-paths counts, and an empty --accept-paths before it has no effect', async () => {
      expect((await send(proxy().url, 'GET', '/version')).status).toBe(200);
      expect(await send(proxy().url, 'GET', '/metrics')).toEqual(REFUSED);
    });
  });

  describe('with an empty --accept-paths after a non-empty --accept-paths', () => {
    const proxy = shared(() =>
      proxyOf(kubectl, [
        `--server=${upstream().url}`,
        '--accept-paths=^/version$',
        '--accept-paths=',
      ]),
    );

    test('proxy 3: an empty --accept-paths at the end refuses every path, with plain text and not with a Status', async () => {
      const answers = [];
      for (const path of ['/', '/version', '/api/v1/pods']) {
        answers.push(await send(proxy().url, 'GET', path));
      }

      expect(answers).toEqual([REFUSED, REFUSED, REFUSED]);
      expect(upstream().seen).toEqual([]);
    });
  });
});
