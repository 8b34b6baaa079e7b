/**
 * Watches and big bodies on their way through every `kubectl proxy` here: in order, and in little memory.
 *
 * @module-tag kubectl
 */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { eventually } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readLines } from '../../operator/stream/lines.ts';
import { request, transportTo } from '../transport/raw-server.ts';
import { openBulkUpstream } from './support/bulk-upstream.ts';
import { proxyOf } from './support/kubectl-process.ts';
import { KUBECTLS } from './support/kubectls.ts';
import { ownMemoryMiB, peakMemoryMiB } from './support/memory.ts';
import { send } from './support/send.ts';
import { shared } from './support/shared.ts';

const MiB = 1024 * 1024;
const BODY_MIB = 64;

/** Versions in between get a smaller body: all that TLS takes its time. */
const BETWEEN_MIB = 8;
const ENDS = [KUBECTLS[0], KUBECTLS.at(-1)];

/** More than all buffers between the API server and who does not read: those take about 8 MiB. */
const STALLED_MIB = 24;

/** kubectl takes 53 to 66 MiB, whatever the body: far less than it would need to hold one. */
const PEAK_MIB = 100;

/** 200 watches take about 17 KiB each, and Go's runtime 12 MiB. */
const WATCHES_MIB = 64;

const upstream = shared(openBulkUpstream);

/** Sends a request and resolves to its answer, of whose body nothing has been read. */
async function begin(
  url: string,
  method: string,
  path: string,
  body?: Readable,
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(url);
  const sending = httpRequest({ hostname, port, method, path, agent: false });
  sending.on('error', () => {});
  onTestFinished(() => {
    sending.destroy();
  });
  if (body === undefined) sending.end();
  else body.pipe(sending);
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  return response;
}

async function lengthOf(body: IncomingMessage): Promise<number> {
  let length = 0;
  for await (const chunk of body) length += (chunk as Buffer).length;
  return length;
}

describe.each(KUBECTLS)('kubectl $name', (kubectl) => {
  const proxy = shared(() =>
    proxyOf(kubectl, [`--server=${upstream().url}`, '--insecure-skip-tls-verify', '--token=x']),
  );

  test('proxy 12: the response headers of a watch arrive before any event, and each event before the next one is sent', async () => {
    const { status, body } = await transportTo(proxy().url).send(
      request({ purpose: 'watch', path: '/watch' }),
    );
    const [watch = expect.unreachable()] = upstream().watches;
    const lines = readLines(body)[Symbol.asyncIterator]();

    const seen: unknown[] = [];
    for (const event of ['first', 'second']) {
      watch.write(`${event}\n`);
      seen.push((await lines.next()).value);
    }
    watch.end();
    const end = await lines.next();

    expect(status).toBe(200);
    expect(seen.flat()).toEqual(['first', 'second']);
    expect(end.done).toBe(true);
  });

  test('proxy 35: a body is passed on while it arrives, in both directions', async () => {
    const bodyMiB = ENDS.includes(kubectl) ? BODY_MIB : BETWEEN_MIB;
    const blocks = Array<Buffer>(bodyMiB).fill(Buffer.alloc(MiB));

    const received = await lengthOf(await begin(proxy().url, 'GET', `/big/${bodyMiB}`));
    const answer = await text(await begin(proxy().url, 'PUT', '/', Readable.from(blocks)));

    expect(received).toBe(bodyMiB * MiB);
    expect(JSON.parse(answer)).toEqual({ length: bodyMiB * MiB });
    expect(peakMemoryMiB(proxy().process.pid ?? 0)).toBeLessThan(PEAK_MIB);
  });

  test('[security 19] proxy 36: 200 watches share one connection to the API server, and the proxy needs little memory for them', async () => {
    const paths = Array.from({ length: 200 }, (_, index) => `/watch/${index}`);
    // While there is no connection yet, each of several requests makes kubectl dial one.
    await send(proxy().url, 'GET', '/small');

    const watches = await Promise.all(paths.map((path) => begin(proxy().url, 'GET', path)));
    await eventually(() => upstream().watches.length === 200);
    const memory = ownMemoryMiB(proxy().process.pid ?? 0);
    const connections = new Set(upstream().watches.map(({ stream }) => stream.session));
    for (const watch of upstream().watches) watch.end('last\n');

    expect(await Promise.all(watches.map((watch) => text(watch)))).toEqual(
      paths.map(() => 'last\n'),
    );
    expect(connections.size).toBe(1);
    expect(memory).toBeLessThan(WATCHES_MIB);
  });

  test('proxy 37: a client that stops reading does not delay other clients on the same connection', async () => {
    const slow = await begin(proxy().url, 'GET', `/big/${STALLED_MIB}`);
    await eventually(() => upstream().writtenMiB() > 1);

    const statuses: (number | undefined)[] = [];
    for (let sent = 0; sent < 20; sent++) {
      statuses.push((await send(proxy().url, 'GET', '/small')).status);
    }
    const writtenMeanwhile = upstream().writtenMiB();

    expect(statuses).toEqual(statuses.map(() => 200));
    expect(writtenMeanwhile).toBeLessThan(STALLED_MIB);
    expect(await lengthOf(slow)).toBe(STALLED_MIB * MiB);
  });
});
