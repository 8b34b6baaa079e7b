import { expect, onTestFinished, test } from 'vitest';
import { type RequestGate, RequestLine } from '../../src/env/request-line.ts';
import { startTestEnv } from '../../src/env/start-test-env.ts';
import type { TestEnv } from '../../src/env/test-env.ts';

async function start(
  gate?: RequestGate,
): Promise<{ env: TestEnv; line: RequestLine; path: string }> {
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const line = new RequestLine({ server: env.url, ...(gate === undefined ? {} : { gate }) });
  await line.start();
  onTestFinished(() => line.cut());
  return { env, line, path: `/api/v1/namespaces/${await env.namespace()}/configmaps` };
}

const BODY = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
const post = (url: string): Promise<Response> =>
  fetch(url, { method: 'POST', body: BODY, headers: { 'content-type': 'application/json' } });

test('a RequestLine passes requests and answers on unchanged and counts them', async () => {
  const { line, path } = await start();

  const created = await post(line.url + path);
  const refused = await post(line.url + path);

  expect([created.status, refused.status]).toEqual([201, 409]);
  expect(await created.json()).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a' } });
  expect(line.requests.count({ verb: 'create', resource: 'configmaps' })).toBe(2);
});

test('a RequestLine passes watch events on as they arrive', async () => {
  const { line, path } = await start();
  const watch = await fetch(`${line.url + path}?watch=true`);

  await post(line.url + path);

  const { value } = (await watch.body?.getReader().read()) ?? {};
  expect(JSON.parse(new TextDecoder().decode(value))).toMatchObject({ type: 'ADDED' });
});

test.each([
  ['before', 0],
  ['after', 1],
] as const)('if a RequestLine holds a call %s its execution, the call is executed %d times and never answered', async (when, count) => {
  let cut = (): void => {};
  const held = new Promise<void>((resolve) => {
    cut = resolve;
  });
  const gate: RequestGate = {
    [when]: () => {
      cut();
      return 'hold';
    },
  };
  const { env, line, path } = await start(gate);

  const call = post(line.url + path);
  const answer = expect(call).rejects.toThrow();
  await held;
  const { url } = line;
  await line.cut();
  await answer;

  expect(env.events.of({ resource: 'configmaps', type: 'ADDED' })).toHaveLength(count);
  await expect(fetch(url)).rejects.toThrow();
});

test('a RequestLine that was cut refuses connections, and listens on the same port when it is started again', async () => {
  const { line, path } = await start();
  const { url } = line;
  const watch = await fetch(`${url + path}?watch=true`);

  await line.cut();
  await expect(watch.text()).rejects.toThrow();
  await expect(post(url + path)).rejects.toThrow();
  await line.start();

  expect(line.url).toBe(url);
  expect((await post(url + path)).status).toBe(201);
});
