/**
 * Credentials that are wrong, missing, spent or exchanged, in front of the real `kubectl proxy` and with
 * an operator behind it: who is at fault and what to do is said, and nothing is lost.
 *
 * What takes a minute of waiting is proved by `npm run prove -- credentials`.
 *
 * @module-tag kubectl
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { eventually } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { startKubectl } from '../proxy/support/kubectl-process.ts';
import { NAMESPACE } from './support/copier.ts';
import { isolation } from './support/isolation.ts';
import { kubectls } from './support/kubectls.ts';
import { USER } from './support/pod.ts';
import { preparePod, startPod } from './support/start-pod.ts';

describe.each(
  kubectls().map((path) => [basename(path), isolation, path] as const),
)('the credentials of %s, isolated by %s', (_version, _isolation, kubectl) => {
  test('the operator works with a token and a CA that only the proxy can read', async () => {
    const pod = await startPod({ kubectl });
    pod.put('a', 'one');

    pod.startOperator();
    await pod.untilAllIsWell();

    expect(new Set(pod.server.requests.map(({ user }) => user))).toEqual(new Set([USER]));
    expect(pod.server.secure.connections).toBe(1); // HTTP/2 carries them all
    expect(pod.requests('PATCH')).toHaveLength(1);
  });

  test('[security 36] the operator reports an invalid token of the ambassador, and is not ready until the token is valid', async () => {
    const pod = await preparePod({ kubectl });
    pod.volume.write({ token: 'wrong' });
    await pod.proxy.start();
    pod.put('a', 'one');

    const operator = pod.startOperator();
    const told = await pod.told('unauthorized');
    const wasReady = operator.ready;
    pod.mount();
    await pod.proxy.restart();
    await pod.untilAllIsWell();

    expect(told).toMatchObject({ level: 'warn', code: 'API_STATUS', layer: 'api-server' });
    expect(told.text).toMatch(/^401 Unauthorized: .*does not accept the ambassador’s token/);
    expect(wasReady).toBe(false);
    expect(operator.ready).toBe(true);
    expect(pod.server.requests.filter(({ user }) => user !== undefined && user !== USER)).toEqual(
      [],
    );
    expect(pod.commits('a')).toEqual(['ADDED copy-a']);
  });

  test('[security 36] without a token, kubectl uses port 8080; the operator reports this, and is ready once there is a token', async () => {
    const pod = await preparePod({ kubectl });
    pod.volume.write({ token: undefined });
    pod.put('a', 'one');
    if (isolation === 'kubeconfig') {
      // Named in a kubeconfig, its absence is noticed.
      await expect(pod.proxy.start()).rejects.toThrow(/kubectl ended with 1: .*token/);
      return;
    }
    await pod.proxy.start();

    const operator = pod.startOperator();
    const told = await pod.told('upstream-unreachable');
    const { requests } = pod.server;
    const reached = requests.length;
    pod.mount();
    await pod.proxy.restart();
    await pod.untilAllIsWell();

    expect(told).toMatchObject({ level: 'warn', code: 'AMBASSADOR_UPSTREAM', layer: 'ambassador' });
    expect(told.text).toMatch(
      /:8080: connect: connection refused .*no credentials.*token and ca\.crt/,
    );
    expect(reached).toBe(0);
    expect(operator.ready).toBe(true);
  });

  test('if the token is empty, kubectl does not start; the operator waits, and loses no change', async () => {
    const pod = await startPod({ kubectl });
    pod.put('a', 'one');
    const operator = pod.startOperator();
    await pod.untilAllIsWell();

    await pod.proxy.end('SIGKILL');
    pod.volume.write({ token: '' });
    const start = pod.proxy.start();
    await expect(start).rejects.toThrow(/kubectl ended with 1: .*(read empty token|Username)/s);
    pod.put('a', 'two');
    const told = await pod.told('unreachable');
    pod.mount();
    await pod.proxy.start();
    await pod.untilAllIsWell();

    expect(told).toMatchObject({ code: 'AMBASSADOR_UNREACHABLE', layer: 'ambassador' });
    expect(operator.ready).toBe(true);
    expect(pod.commits('a')).toEqual(['ADDED copy-a', 'MODIFIED copy-a']);
  });

  test('[security 37] proxy 23: writes get 401 while the token is revoked, and are repeated with a new token', async () => {
    const pod = await preparePod({ kubectl });
    const key = { name: 'key', namespace: NAMESPACE };
    pod.server.create({ apiVersion: 'v1', kind: 'Secret', metadata: key });
    pod.mount({ boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'key' } });
    await pod.proxy.start();
    pod.put('a', 'one');
    const operator = pod.startOperator();
    await pod.untilAllIsWell();

    pod.server.delete('v1', 'Secret', NAMESPACE, 'key');
    pod.put('a', 'two'); // seen by the watch, which was opened while the token was good
    const failed = await eventually(() =>
      operator.log.find(({ message }) => message === 'reconcile failed'),
    );
    pod.mount();
    await pod.proxy.restart();
    await pod.untilAllIsWell();

    expect(failed.fields.err).toMatchObject({
      code: 'API_STATUS',
      layer: 'api-server',
      status: 401,
    });
    expect(String(failed.fields.err)).toContain('the ambassador’s token');
    expect(pod.commits('a')).toEqual(['ADDED copy-a', 'MODIFIED copy-a']);
    const accepted = pod.requests('PATCH').filter(({ user }) => user === USER);
    expect(accepted).toHaveLength(2);
  });

  test('[security 38] proxy 25: after a change of the CA, requests fail until the proxy restarts, and the operator logs the remedy', async () => {
    const pod = await startPod({ kubectl });
    pod.put('a', 'one');
    pod.startOperator();
    await pod.untilAllIsWell();

    pod.server.secure.renewAuthority();
    pod.volume.write({ 'ca.crt': pod.server.secure.ca });
    pod.server.closeWatches('clean');
    pod.server.secure.goAway();
    const told = await pod.told('upstream-unreachable');
    pod.put('a', 'two');
    const { requests } = pod.server;
    const reached = requests.length;
    const refused = await Promise.all([1, 2, 3].map(() => fetch(`${pod.proxy.url}/version`)));
    const reachedAfter = requests.length;
    await pod.proxy.restart();
    await pod.untilAllIsWell();

    expect(told).toMatchObject({ code: 'AMBASSADOR_UPSTREAM', layer: 'ambassador' });
    expect(told.text).toMatch(
      /x509: certificate signed by unknown authority.*ca\.crt.*restart the container/,
    );
    expect(refused.map(({ status }) => status)).toEqual([500, 500, 500]);
    expect(reachedAfter).toBe(reached);
    expect(pod.commits('a')).toEqual(['ADDED copy-a', 'MODIFIED copy-a']);
  });

  test('a missing ca.crt is reported as a certificate error', async () => {
    const pod = await preparePod({ kubectl });
    pod.volume.write({ 'ca.crt': undefined });
    if (isolation === 'kubeconfig') {
      await expect(pod.proxy.start()).rejects.toThrow(/kubectl ended with 1: .*ca\.crt/);
      return;
    }
    await pod.proxy.start();

    const operator = pod.startOperator();
    const told = await pod.told('upstream-unreachable');

    expect(told.text).toMatch(/x509: certificate signed by unknown authority.*ca\.crt/);
    expect(operator.ready).toBe(false);
  });
});

test('proxy 24: canary: a token given as an argument is readable in /proc, and stays in use', async () => {
  const pod = await preparePod();
  const old = pod.mount();
  const flags = [`--server=${pod.server.url}`, `--certificate-authority=${pod.volume.path}/ca.crt`];
  const proxy = await startKubectl(...flags, `--token=${old}`, '--port=0');

  pod.mount();
  await fetch(`http://${proxy.serves}/version`);

  const line = readFileSync(`/proc/${proxy.process.pid}/cmdline`, 'utf8').split('\0');
  expect(line).toContain(`--token=${old}`);
  expect(pod.server.requests.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${old}`,
  ]);
});
