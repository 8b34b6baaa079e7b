/** The server of webhooks in a manager: what it refuses, what it counts, when it is ready and how it ends. */

import { once } from 'node:events';
import { link, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settle } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { answersReviews } from '../../../operator/cli/dev/sample-writer.ts';
import { source } from '../../../operator/controller/source.ts';
import { configMaps } from '../../../operator/model/builtin.ts';
import { deny } from '../../../operator/webhook/decision.ts';
import type { Webhook } from '../../../operator/webhook/webhook.ts';
import { configMapWebhook, reviewOf } from '../../webhook/reviews.ts';
import { World, type WorldOptions } from '../world.ts';
import { post } from './post.ts';

const REVIEW = JSON.stringify(reviewOf());
const PATH = '/validate/colours.shop.example.com';
const IN_A_POD = { POD_NAME: 'shop-0', POD_NAMESPACE: 'ops' };

/** A manager that answers `webhook`. */
async function serving(
  webhook: Webhook = configMapWebhook({}),
  environment: Readonly<Record<string, string>> = {},
  options: WorldOptions = {},
): Promise<World> {
  const world = new World([], environment, { ...options, webhooks: [webhook] });
  await world.start();
  await listening(world);
  return world;
}

/** Resolves when the port is open, which takes turns of the event loop and no time of the clock. */
async function listening(world: World): Promise<void> {
  while (world.manager.webhookAddress === undefined) await settle();
  await settle();
}

function addressOf(world: World): string {
  return world.manager.webhookAddress ?? expect.unreachable('webhooks are not answered');
}

/** The value of a counter with these labels. */
function counted(world: World, name: string, labels: Readonly<Record<string, string>>): number {
  return world.meter.value(name, labels);
}

/** A function that hangs until the test lets it go, and says when it was asked. */
function hanging(timeoutSeconds = 5): {
  readonly webhook: Webhook;
  readonly asked: Promise<void>;
  go(): void;
} {
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const webhook = configMapWebhook({
    timeoutSeconds,
    validate: async () => {
      asked.resolve();
      await go.promise;
    },
  });
  return { webhook, asked: asked.promise, go: go.resolve };
}

describe('the server of webhooks', () => {
  test('[A-2] [admission 16] the webhook server answers a review in HTTP/1.1 with its uid, and keeps the connection', async () => {
    const world = await serving();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());

    const first = await post(addressOf(world), REVIEW, { agent });
    const second = await post(addressOf(world), REVIEW, { agent });

    expect(first.status).toBe(200);
    expect(first.headers['content-type']).toBe('application/json');
    expect(JSON.parse(second.text).response).toEqual({ uid: 'c0ffee', allowed: true });
    expect(second.headers.connection).toBe('keep-alive');
  });

  test.each<[string, Parameters<typeof post>[1], Parameters<typeof post>[2], number, RegExp]>([
    [
      'a path that is not declared',
      REVIEW,
      { path: '/validate/other' },
      404,
      /no webhook has this path/,
    ],
    ['a path above the declared path', REVIEW, { path: '/validate' }, 404, /no webhook/],
    ['a path with a slash at the end', REVIEW, { path: `${PATH}/` }, 404, /no webhook/],
    ['GET', '', { method: 'GET' }, 405, /method not allowed/],
    ['PUT', REVIEW, { method: 'PUT' }, 405, /method not allowed/],
    [
      'text',
      REVIEW,
      { headers: { 'content-type': 'text/plain' } },
      415,
      /must be application\/json/,
    ],
    [
      'a compressed body',
      REVIEW,
      { headers: { 'content-encoding': 'gzip' } },
      415,
      /no content-encoding/,
    ],
    ['a body that is not JSON', 'hello', {}, 400, /is not JSON/],
    ['a body that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 400, /not UTF-8/],
    [
      'an object of another kind',
      JSON.stringify(reviewOf({ resource: {} })),
      {},
      400,
      /request\.resource must be/,
    ],
    ['9 MiB', Buffer.alloc(9 * 1024 * 1024, 0x20), {}, 413, /may have 8388608 bytes/],
    [
      '9 MiB without a length',
      Buffer.alloc(9 * 1024 * 1024, 0x20),
      { headers: { 'transfer-encoding': 'chunked' } },
      413,
      /may have 8388608 bytes/,
    ],
  ])('[A-4] the webhook server refuses %s', async (_, body, sent, status, expected) => {
    let asked = 0;
    const webhook = configMapWebhook({
      validate: () => {
        asked++;
      },
    });
    const world = await serving(webhook);

    const got = await post(addressOf(world), body, sent);

    expect(got.status).toBe(status);
    expect(got.text).toMatch(expected);
    expect(asked).toBe(0);
  });

  test('the webhook server reads a review of just under 8 MiB', async () => {
    const padding = 'x'.repeat(8 * 1024 * 1024 - REVIEW.length - 20);
    const text = REVIEW.replace('"colour":"red"', `"colour":"${padding}"`);
    const world = await serving();

    const got = await post(addressOf(world), text);

    expect([got.status, text.length > 8_388_000]).toEqual([200, true]);
  });

  test('while the webhook server reads bodies of 32 MiB in all, it refuses another body with 503', async () => {
    const { webhook, asked, go } = hanging();
    const world = await serving(webhook);
    const large = REVIEW.replace('"colour":"red"', `"colour":"${'x'.repeat(8_387_000)}"`);

    const held = [1, 2, 3, 4].map(() => post(addressOf(world), large));
    await asked;
    while (inFlight(world) < 4) await settle();
    const refused = await post(addressOf(world), large);
    go();

    expect(refused.status).toBe(503);
    expect(refused.text).toMatch(/too many large reviews at once/);
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await post(addressOf(world), REVIEW)).status).toBe(200);
  });

  test('[A-6] [admission 14] if a function hangs, the webhook server answers 504 within its limit, and counts the timeout', async () => {
    const { webhook, asked } = hanging();
    const world = await serving(webhook);

    const answer = post(addressOf(world), REVIEW);
    await asked;
    await world.clock.advanceAndSettle(3_999);
    expect(
      counted(world, 'chancery_webhook_reviews_total', { webhook: PATH, outcome: 'timeout' }),
    ).toBe(0);
    await world.clock.advanceAndSettle(1);

    expect((await answer).status).toBe(504);
    expect(
      counted(world, 'chancery_webhook_reviews_total', { webhook: PATH, outcome: 'timeout' }),
    ).toBe(1);
    expect(
      counted(world, 'controller_runtime_webhook_requests_total', { webhook: PATH, code: '504' }),
    ).toBe(1);
  });

  test('[A-6] [admission 14] the webhook server keeps to the timeout that the API server sends', async () => {
    const { webhook, asked } = hanging();
    const world = await serving(webhook);

    const answer = post(addressOf(world), REVIEW, { path: `${PATH}?timeout=2s` });
    await asked;
    await world.clock.advanceAndSettle(1_600);

    expect((await answer).status).toBe(504);
  });

  test('the webhook server counts outcomes, latency, panics and requests in flight under the metric names of controller-runtime', async () => {
    const { webhook, asked, go } = hanging();
    const failing = configMapWebhook({
      name: 'failing.shop.example.com',
      validate: () => {
        throw new Error('no');
      },
    });
    const world = new World([], {}, { webhooks: [webhook, failing] });
    await world.start();
    await listening(world);

    const held = post(addressOf(world), REVIEW);
    await asked;
    const during = inFlight(world);
    go();
    await held;
    await post(addressOf(world), REVIEW, { path: failing.path });

    expect([during, inFlight(world)]).toEqual([1, 0]);
    expect(counted(world, 'controller_runtime_webhook_panics_total', {})).toBe(1);
    expect(
      counted(world, 'controller_runtime_webhook_requests_total', { webhook: PATH, code: '200' }),
    ).toBe(1);
    expect(
      counted(world, 'chancery_webhook_reviews_total', {
        webhook: failing.path,
        outcome: 'failed',
      }),
    ).toBe(1);
    expect(world.manager.status.runnables).toMatchObject([
      {
        name: 'webhooks',
        running: true,
        state: {
          webhooks: [
            { webhook: 'colours.shop.example.com', path: PATH, ready: true, allowed: 1, failed: 0 },
            { webhook: 'failing.shop.example.com', allowed: 0, failed: 1 },
          ],
        },
      },
    ]);
  });

  test('[A-4] unusable requests are logged once a minute, without their content', async () => {
    const world = await serving();
    const unusable = JSON.stringify(reviewOf({ uid: 'the-password', operation: 'PATCH' }));
    const complaints = (): unknown[] =>
      world.lines
        .filter(({ message }) => message.startsWith('webhook refused'))
        .map(({ fields }) => fields);

    for (let at = 0; at < 3; at++) await post(addressOf(world), unusable);
    const first = complaints();
    await world.clock.advanceAndSettle(60_000);
    await post(addressOf(world), unusable);

    expect(first).toMatchObject([{ webhook: 'colours.shop.example.com', status: 400 }]);
    expect(complaints()).toHaveLength(2);
    expect(JSON.stringify(complaints())).not.toContain('the-password');
  });

  test('each review passes through the middleware', async () => {
    const seen: unknown[] = [];
    const aroundReview: NonNullable<WorldOptions['aroundReview']> = async (facts, ask) => {
      const answered = await ask();
      seen.push({ ...facts, outcome: answered.outcome });
      return answered;
    };
    const world = await serving(
      configMapWebhook({ validate: () => deny('no') }),
      {},
      { aroundReview },
    );

    await post(addressOf(world), REVIEW);

    expect(seen).toEqual([
      {
        webhook: 'colours.shop.example.com',
        uid: 'c0ffee',
        operation: 'CREATE',
        resource: 'configmaps',
        namespace: 'web',
        name: 'shop',
        dryRun: false,
        outcome: 'denied',
      },
    ]);
  });

  test('the review is aborted when the client disconnects', async () => {
    const left = Promise.withResolvers<unknown>();
    const asked = Promise.withResolvers<void>();
    const webhook = configMapWebhook({
      validate: (_request, { signal }) => {
        asked.resolve();
        signal.addEventListener('abort', () => left.resolve(signal.reason));
        return new Promise(() => {});
      },
    });
    const world = await serving(webhook);
    const agent = new Agent();
    const answer = post(addressOf(world), REVIEW, { agent }).catch(() => 'gone');

    await asked.promise;
    agent.destroy();

    expect(await answer).toBe('gone');
    expect(await left.promise).toMatchObject({ message: 'the client has gone away' });
    while (inFlight(world) > 0) await settle();
    expect(
      counted(world, 'chancery_webhook_reviews_total', { webhook: PATH, outcome: 'timeout' }),
    ).toBe(1);
  });
});

describe('webhooks of a process', () => {
  test('[A-5] webhooks are answered once the caches that they read have their first list, and /readyz waits for that', async () => {
    const reads = [source(configMaps, { namespace: 'all' })];
    const webhook = configMapWebhook({
      reads,
      validate: (_request, { store }) => deny(`of ${store(configMaps).list().length}`),
    });
    const world = new World([], {}, { webhooks: [webhook] });
    world.collection('configmaps').failure = new Error('not yet');
    await world.start();
    await listening(world);

    const url = `${addressOf(world)}${PATH}`;
    const before = await post(addressOf(world), REVIEW);
    const answeredBefore = await answersReviews([url]);
    const wasReady = world.manager.ready;
    world.collection('configmaps').failure = undefined;
    while (!world.manager.ready) await world.clock.advanceAndSettle(1_000);
    const after = await post(addressOf(world), REVIEW);

    expect([answeredBefore, await answersReviews([url])]).toEqual([false, true]);
    expect(await answersReviews([url, `${url}x`])).toBe(false);
    expect([before.status, wasReady]).toEqual([503, false]);
    expect(before.text).toMatch(/is not ready yet/);
    expect(JSON.parse(after.text).response.status.message).toBe('of 0');
  });

  test('if the webhook address is taken, the operator does not start, and the error contains the setting', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as { readonly port: number };
    const world = new World(
      [],
      { CHANCERY_WEBHOOK_LISTEN: `127.0.0.1:${port}` },
      { webhooks: [configMapWebhook({})] },
    );

    await world.start();

    await expect(world.running).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringMatching(/is taken.*Set CHANCERY_WEBHOOK_LISTEN/),
    });
  });

  test('webhooks are answered at a unix socket, also if a killed process has left its socket file there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'gate.sock');
    const environment = { CHANCERY_WEBHOOK_LISTEN: `unix:${path}` };
    const killed = await serving(configMapWebhook({}), environment);
    // The end of a process closes its socket and leaves the file, as this does.
    await leaveSocketOf(killed, path);

    const world = await serving(configMapWebhook({}), environment);
    const got = await post(addressOf(world), REVIEW);

    expect([addressOf(world), got.status]).toEqual([`unix:${path}`, 200]);
  });

  test('a file at the path of the unix socket is not overwritten', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'notes.txt');
    await writeFile(path, 'mine');
    const environment = { CHANCERY_WEBHOOK_LISTEN: `unix:${path}` };
    const world = new World([], environment, { webhooks: [configMapWebhook({})] });

    await world.start();

    await expect(world.running).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringMatching(/is the path of a file.*Set CHANCERY_WEBHOOK_LISTEN/),
    });
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  test('two webhooks may not have the same path', () => {
    const twice = [configMapWebhook({}), configMapWebhook({})];

    expect(() => new World([], {}, { webhooks: twice })).toThrow(
      'two webhooks have the path /validate/colours.shop.example.com: rename one',
    );
  });

  test('[A-5] a stopping Pod answers webhooks for three more seconds, and closes the connection after each response', async () => {
    const world = await serving(configMapWebhook({}), IN_A_POD);
    const address = addressOf(world);

    world.stop.abort(new Error('SIGTERM'));
    await settle();
    const ready = world.manager.ready;
    await world.clock.advanceAndSettle(2_900);
    const late = await post(address, REVIEW);
    const stopped = world.stopAndWait();
    await world.clock.advanceAndSettle(200);
    await stopped;

    expect([ready, late.status, late.headers.connection]).toEqual([false, 200, 'close']);
    await expect(post(address, REVIEW)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('three seconds after SIGTERM, running reviews are still answered, and hanging reviews are cut off', async () => {
    const first = hanging();
    const world = await serving(first.webhook, IN_A_POD);
    const held = post(addressOf(world), REVIEW);
    await first.asked;
    world.stop.abort(new Error('SIGTERM'));
    await world.clock.advanceAndSettle(3_100);
    first.go();

    expect((await held).status).toBe(200);
    await world.running;

    const second = hanging(30);
    const other = await serving(second.webhook, IN_A_POD);
    const cut = post(addressOf(other), REVIEW);
    await second.asked;
    other.stop.abort(new Error('SIGTERM'));
    const broken = expect(cut).rejects.toMatchObject({ code: 'ECONNRESET' });
    while (other.manager.webhookAddress !== undefined) await other.clock.advanceAndSettle(100);
    await other.clock.advanceAndSettle(2_000);

    await broken;
    await other.running;
  });

  test('in a process outside a Pod, webhooks are no longer answered once the process has stopped', async () => {
    const world = await serving();
    const address = addressOf(world);

    await world.stopAndWait();

    await expect(post(address, REVIEW)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

/** Questions that are being answered, by the latest value of the gauge. */
function inFlight(world: World): number {
  return world.meter.value('controller_runtime_webhook_requests_in_flight', { webhook: PATH });
}

async function leaveSocketOf(world: World, path: string): Promise<void> {
  await link(path, `${path}.left`);
  await world.stopAndWait();
  await rename(`${path}.left`, path);
}
