/** The ambassador as the manifests start it: its image's entry point, their arguments, their probe. */
import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { realKubectl } from '../proxy/support/ambassador.ts';
import { environment, startImage } from '../proxy/support/image.ts';
import { DECLARED, HOSTILE, split } from '../proxy/support/requests.ts';
import { isTidied, send } from '../proxy/support/send.ts';
import { startUpstream } from '../proxy/support/upstream.ts';
import { type Container, containerNamed, expand, podSpec, render } from './support/rendered.ts';

const proxy = containerNamed(podSpec(await render('manifests/base')), 'proxy');

/** Its arguments as the kubelet hands them over, in the namespace `demo`. */
const args = (proxy.args ?? []).map((arg) => expand(arg, { POD_NAMESPACE: 'demo' }));

/** Runs a probe's command with our kubectl against `ambassador`; resolves to its exit code. */
async function probe(name: keyof Container, ambassador: string): Promise<number> {
  const { exec } = proxy[name] as { readonly exec: { readonly command: readonly string[] } };
  const [, ...rest] = exec.command.map((word) => word.replace('http://127.0.0.1:8001', ambassador));
  return new Promise((resolve) => {
    const child = execFile(realKubectl(), rest, { env: { ...environment() } }, () =>
      resolve(child.exitCode ?? -1),
    );
  });
}

test('lets everything through that config-restart declares', async () => {
  const upstream = await startUpstream();
  const ambassador = await startImage(upstream.url, args);

  for (const line of DECLARED) await send(ambassador, ...split(line));

  expect(upstream.seen).toEqual(DECLARED);
});

test('lets nothing hostile through', async () => {
  const upstream = await startUpstream();
  const ambassador = await startImage(upstream.url, args);

  const statuses = new Map<string, number | undefined>();
  for (const line of HOSTILE) {
    const answer = await send(ambassador, ...split(line));
    statuses.set(line, isTidied(line, answer) ? 403 : answer.status);
  }

  expect(statuses).toEqual(new Map(HOSTILE.map((line) => [line, 403])));
  expect(upstream.seen).toEqual([]);
});

test.each([
  'startupProbe',
  'livenessProbe',
])('%s passes when the API server answers', async (name) => {
  const upstream = await startUpstream();
  const ambassador = await startImage(upstream.url, args);

  const exitCode = await probe(name, ambassador);

  expect(exitCode).toBe(0);
  expect(upstream.seen).toEqual(['GET /version?timeout=3s']);
});

test('the probe fails when the filter is closed, and when the API server is away', async () => {
  const upstream = await startUpstream();
  const closed = await startImage(upstream.url, []);
  const alone = await startImage('http://127.0.0.1:1', args);

  const exitCodes = [await probe('startupProbe', closed), await probe('startupProbe', alone)];

  expect(exitCodes).toEqual([1, 1]);
});
