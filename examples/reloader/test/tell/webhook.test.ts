/** `--webhook-url`: changes are sent, and nothing restarts. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { AUTO, envFrom, type Reloading, startReloader } from '../support/start.ts';
import { type LocalServer, serve, status } from './servers.ts';

const ORIGINAL = '{"webhook":"update successful"}';

/** The operator has its first lists, and has read everything that it found. */
async function started(server: LocalServer, ...args: readonly string[]): Promise<Reloading> {
  const reloader = await startReloader({
    args: [`--webhook-url=${server.url}/changed?token=t`, ...args],
    stopped: true,
  });
  await reloader.config('app', { mode: 'slow' });
  await reloader.secret('login', { user: 'a' });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/app') });
  reloader.startOperator();
  await reloader.idle();
  return reloader;
}

test("[reloader 22] each change of content causes one POST with exactly the original operator's body, and patches no workload", async () => {
  const server = await serve(status(500)); // as in the original, any answer will do
  const reloader = await started(server);

  await reloader.config('app', { mode: 'fast' });
  await eventually(() => server.received.length === 1);
  await reloader.config('app', { mode: 'fast' }, { labels: { team: 'a' } });
  await reloader.config('new', { mode: 'fast' });
  await reloader.secret('login', { user: 'b' });
  await eventually(() => server.received.length === 2);
  await reloader.idle();

  expect(server.received).toHaveLength(2);
  expect(server.received[0]).toMatchObject({
    method: 'POST',
    path: '/changed?token=t',
    body: ORIGINAL,
    headers: { 'content-type': 'application/json' },
  });
  expect(server.received[1]?.body).toBe(ORIGINAL);
  expect(reloader.writes()).toEqual([]);
  expect(reloader.rollouts('web')).toBe(0);
});

test('[reloader R28] a resource with the annotation `ignore` is not sent, and once the annotation is removed only new content is sent', async () => {
  const server = await serve(status(200));
  const reloader = await started(server, '--cloud-events');
  const annotations = { 'reloader.stakater.com/ignore': 'true' };

  await reloader.config('app', { mode: 'fast' }, { annotations });
  await reloader.config('app', { mode: 'faster' }, { annotations });
  await reloader.idle();
  const listening = { annotations: { 'reloader.stakater.com/ignore': 'false' } };
  await reloader.config('app', { mode: 'faster' }, listening);
  await reloader.idle();
  await reloader.config('app', { mode: 'slow' }, listening);
  await eventually(() => server.received.length === 1);

  const [call] = server.received;
  const event = JSON.parse(call?.body ?? '') as Readonly<Record<string, unknown>>;
  expect(call?.headers['content-type']).toBe('application/cloudevents+json');
  expect(event).toEqual({
    specversion: '1.0',
    id: expect.stringMatching(/\/configmap\/app\/updated\/\d+$/),
    source: '/chancery/reloader',
    type: 'dev.chancery.reloader.resource.updated',
    subject: `${reloader.namespace}/configmap/app`,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    datacontenttype: 'application/json',
    data: { type: 'CONFIGMAP', name: 'app', namespace: reloader.namespace, action: 'updated' },
  });
});

test('[reloader 22] creations and deletions are sent if their flags are set, and objects of the first list are not sent', async () => {
  const server = await serve(status(200));
  const reloader = await started(
    server,
    '--cloud-events',
    '--reload-on-create=true',
    '--reload-on-delete=true',
  );
  const types = (): readonly unknown[] =>
    server.received.map(({ body }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: { name: string } };
      return `${type.split('.').at(-1)} ${data.name}`;
    });

  await reloader.secret('new', { user: 'a' });
  await eventually(() => server.received.length === 1);
  await reloader.env.delete('v1', 'ConfigMap', reloader.namespace, 'app');
  await eventually(() => server.received.length === 2);
  await reloader.idle();

  expect(types()).toEqual(['created new', 'deleted app']);
});

test('[reloader 22] [reloader R7] a call without a response is tried six times, is then counted as lost, and does not affect later calls', async () => {
  const server = await serve((response, { body }) => {
    if (body.includes('"name":"app"')) response.destroy();
    else status(200)(response);
  });
  const reloader = await started(server, '--cloud-events');
  const [registry] = [reloader.metrics ?? []].flat();
  const lost = async (): Promise<unknown> =>
    (await registry?.getMetricsAsJSON())?.find((each) => each.name === LOST)?.values;

  await reloader.config('app', { mode: 'fast' });
  await eventually(async () => JSON.stringify(await lost()) === ONE_LOST, PATIENT);
  await reloader.secret('login', { user: 'b' });
  await eventually(() => server.received.length === 7, PATIENT);

  const ids = server.received.map(({ body }) => (JSON.parse(body) as { id: string }).id);
  expect(new Set(ids.slice(0, 6)).size).toBe(1);
  expect(ids[6]).toContain('secret/login');
});

const LOST = 'reloader_messages_lost_total';
const ONE_LOST = '[{"value":1,"labels":{"to":"webhook"}}]';
const PATIENT = { timeoutMs: 30_000 };
