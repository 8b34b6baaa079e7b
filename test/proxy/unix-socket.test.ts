/** An ambassador that listens on a unix socket, as a real `kubectl proxy` does. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { request, transportTo } from '../transport/raw-server.ts';
import { end, startKubectl } from './support/kubectl-process.ts';
import { startUpstream } from './support/upstream.ts';

function socketPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'proxy.sock');
}

async function listen(path: string) {
  const upstream = await startUpstream();
  const kubectl = await startKubectl(`--server=${upstream.url}`, `--unix-socket=${path}`);
  return { upstream, ...kubectl };
}

test('proxy 38: calls and watches go through it, with a Host that its filter takes', async () => {
  const path = socketPath();
  const { upstream, serves } = await listen(path);
  const transport = transportTo(`unix:${path}`);

  const call = await transport.send(request());
  const watch = await transport.send(request({ purpose: 'watch', path: '/watch' }));

  expect(serves).toBe(path);
  expect([await text(call.body), await text(watch.body)]).toEqual(['{}', '{}']);
  expect(upstream.seen).toEqual(['GET /version', 'GET /watch']);
});

test('proxy 38: it is its owner’s alone', async () => {
  const path = socketPath();
  await listen(path);

  const { mode } = statSync(path);

  expect((mode & 0o777).toString(8)).toBe('700');
});

test('proxy 38: after a crash the socket that was left is replaced, and our next call goes through', async () => {
  const path = socketPath();
  const first = await listen(path);
  const transport = transportTo(`unix:${path}`);
  await text((await transport.send(request())).body);
  await end(first.process, 'SIGKILL');
  const meanwhile = await transport.send(request()).catch((error: unknown) => error);

  const second = await listen(path);
  await transport.send(request());

  expect(meanwhile).toMatchObject({
    code: 'AMBASSADOR_UNREACHABLE',
    fate: 'not-sent',
    context: { cause: 'ECONNREFUSED' },
  });
  expect(second.upstream.seen).toEqual(['GET /version']);
});

test('proxy 38: a file in its place is not replaced', async () => {
  const path = socketPath();
  writeFileSync(path, 'mine');

  await expect(listen(path)).rejects.toThrow(/address already in use/);
});

test('proxy 38: canary: a second instance takes a live socket over without a word', async () => {
  const path = socketPath();
  const first = await listen(path);
  const second = await listen(path);

  await transportTo(`unix:${path}`).send(request());

  expect(first.upstream.seen).toEqual([]);
  expect(second.upstream.seen).toEqual(['GET /version']);
});
