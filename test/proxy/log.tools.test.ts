/**
 * What every `kubectl proxy` here writes to its log, and what it never does.
 *
 * @module-tag kubectl
 */
import { once } from 'node:events';
import { beforeAll, describe, expect, test } from 'vitest';
import { answer, openH2Upstream } from './support/h2-upstream.ts';
import { entryPoint } from './support/image.ts';
import { proxyOf } from './support/kubectl-process.ts';
import { KUBECTLS, type Kubectl } from './support/kubectls.ts';
import { send } from './support/send.ts';
import { shared } from './support/shared.ts';

/** None between prints what another does not: 6 has addresses, 7 headers, 8 more of them, 9 commands for curl. */
const LEVELS = [0, 3, 6, 7, 8, 9, 10] as const;
const TOKEN = 'token-of-the-ambassador';
const OWN_TOKEN = 'token-of-a-client';
const BODY = 'value-of-a-secret';
const COOKIE = 'session=cookie-of-a-client';
const FORGED = 'I0101 00:00:00.000000       1 proxy_server.go:131] Filter accepting GET /forged';

const upstream = shared(() =>
  openH2Upstream(({ stream }) => answer(stream, 200, { data: { key: BODY } })),
);

/** Its log at one level, after a call, one with a token of its own, and one that the filter refuses. */
async function logAt(level: number, kubectl: Kubectl): Promise<string> {
  const proxy = await proxyOf(kubectl, [
    `--server=${upstream().url}`,
    '--insecure-skip-tls-verify',
    `--token=${TOKEN}`,
    '--accept-paths=^/version$',
    `-v=${level}`,
  ]);
  const closed = once(proxy.process, 'close');
  try {
    await send(proxy.url, 'GET', '/version', { cookie: COOKIE });
    await send(proxy.url, 'POST', '/version', { authorization: `Bearer ${OWN_TOKEN}` });
    await send(proxy.url, 'GET', `/refused%0a${encodeURIComponent(FORGED)}`);
  } finally {
    await proxy.stop();
  }
  await closed; // the rest of its log, too
  return proxy.log();
}

describe.each(KUBECTLS)('kubectl $name', (kubectl) => {
  /** By level. */
  let logs: Readonly<Record<number, string>> = {};
  let authorizations: readonly (string | undefined)[] = [];
  beforeAll(async () => {
    const texts = await Promise.all(LEVELS.map((level) => logAt(level, kubectl)));
    logs = Object.fromEntries(LEVELS.map((level, at) => [level, texts[at] ?? '']));
    authorizations = upstream().requests.map(({ headers }) => headers.authorization);
    upstream().forget();
  });

  test('proxy 29: canary: kubectl proxy adds its token to each request, except where a client sends its own token', () => {
    const each = [`Bearer ${TOKEN}`, `Bearer ${OWN_TOKEN}`];

    expect([...authorizations].sort()).toEqual(LEVELS.flatMap(() => each).sort());
  });

  test('[security 27] proxy 42: kubectl proxy logs no token and no body at any log level', () => {
    const found = LEVELS.filter((level) =>
      [TOKEN, OWN_TOKEN, BODY].some((secret) => logs[level]?.includes(secret)),
    );

    expect(found).toEqual([]);
    for (const level of [7, 8, 9, 10]) expect(logs[level]).toContain('Bearer <masked>');
  });

  test('[security 27] proxy 42: at log level 0, which the image sets, kubectl proxy logs no requests', () => {
    expect(logs[0]).toBe('');
    expect(entryPoint()).toContain('--v=0');
  });

  test('proxy 42: canary: from log level 3 on, a line break in a refused path forges a line of the log', () => {
    const forged = LEVELS.filter((level) =>
      logs[level]?.split('\n').some((line) => line.startsWith(FORGED)),
    );

    expect(forged).toEqual([3, 6, 7, 8, 9, 10]);
  });

  test('proxy 42: canary: from log level 7 on, kubectl proxy logs cookies', () => {
    expect(LEVELS.filter((level) => logs[level]?.includes(COOKIE))).toEqual([7, 8, 9, 10]);
  });

  test('proxy 42: kubectl proxy logs each response in its own line at log level 6, in a format that changed with 1.33', () => {
    const line =
      kubectl.minor < 33
        ? /^I\d{4} .*\] GET https:\S+\/version 200 OK in \d+ milliseconds$/m
        : /^I\d{4} .*\] "Response" verb="GET" url="https:\S+\/version" status="200 OK" milliseconds=\d+$/m;

    expect(logs[6]).toMatch(line);
    expect(logs[3]).not.toMatch(line);
  });
});
