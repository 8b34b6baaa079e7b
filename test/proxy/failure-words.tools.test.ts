/**
 * The words in which every `kubectl proxy` here reports a failure, as our client takes them.
 *
 * @module-tag kubectl
 */
import { constants } from 'node:http2';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../operator/client/answer.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { openRawServer, request, transportTo } from '../transport/raw-server.ts';
import { answer, type H2Request, openH2Upstream } from './support/h2-upstream.ts';
import { type KubectlProcess, proxyOf } from './support/kubectl-process.ts';
import { KUBECTLS } from './support/kubectls.ts';
import { shared } from './support/shared.ts';

const TRUSTING = ['--insecure-skip-tls-verify', '--token=ambassador'];

const secure = shared(() =>
  openH2Upstream((arrived: H2Request) => {
    const { method, path, stream, session } = arrived;
    if (method === 'POST' && path === '/goaway') {
      session.goaway(constants.NGHTTP2_NO_ERROR, (stream.id ?? 0) - 2);
    } else if (method === 'POST' && path === '/refused') {
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
    } else answer(stream, 200, {});
  }),
);

/** Takes a request, and ends the connection instead of an answer. */
const silent = shared(async () => {
  const server = await openRawServer(({ socket }) => {
    socket.end();
    return undefined;
  });
  return { ...server, stop: () => server.close() };
});

async function failureOf(proxy: KubectlProcess, path: string): Promise<unknown> {
  const transport = transportTo(proxy.url);
  const response = await transport.send(request({ method: 'POST', path, body: '{}' }));
  return readAnswer(response, systemClock).catch((error: unknown) => error);
}

describe.each(KUBECTLS)('kubectl $name', (kubectl) => {
  describe('in front of an API server that turns writes away over HTTP/2', () => {
    const proxy = shared(() => proxyOf(kubectl, [`--server=${secure().url}`, ...TRUSTING]));

    test.each([
      '/goaway',
      '/refused',
    ])('proxy 17: a write to %s that the API server turns away over HTTP/2 is reported as "not-sent"', async (path) => {
      // GOAWAY names the last request that counts: there must be one before.
      const before = await transportTo(proxy().url).send(request());
      await text(before.body);

      expect(await failureOf(proxy(), path)).toMatchObject({
        code: 'AMBASSADOR_UPSTREAM',
        fate: 'not-sent',
        message: expect.stringContaining('after Request.Body was written'),
      });
    });
  });

  describe('with an API server that kubectl proxy does not trust', () => {
    const proxy = shared(() =>
      proxyOf(kubectl, [`--server=${secure().url}`, '--token=ambassador']),
    );

    test('proxy 15: if kubectl proxy does not trust the API server, a write is reported as "not-sent", with the certificate error', async () => {
      expect(await failureOf(proxy(), '/goaway')).toMatchObject({
        code: 'AMBASSADOR_UPSTREAM',
        fate: 'not-sent',
        message: expect.stringMatching(/x509: certificate/),
      });
      expect(secure().requests).toEqual([]);
    });
  });

  describe('in front of an API server that does not listen', () => {
    const proxy = shared(async () => {
      const gone = await openRawServer(() => undefined);
      await gone.close();
      return proxyOf(kubectl, [`--server=${gone.url}`]);
    });

    test('proxy 15: a write to an API server that does not listen is reported as "not-sent"', async () => {
      expect(await failureOf(proxy(), '/api')).toMatchObject({
        code: 'AMBASSADOR_UPSTREAM',
        fate: 'not-sent',
        message: expect.stringMatching(/dial tcp .*connection refused/),
      });
    });
  });

  describe('in front of an API server that ends the connection', () => {
    const proxy = shared(() => proxyOf(kubectl, [`--server=${silent().url}`]));

    test('proxy 15: if the API server ends the connection without a response, the outcome of a write is reported as unknown', async () => {
      expect(await failureOf(proxy(), '/api')).toMatchObject({
        code: 'AMBASSADOR_UPSTREAM',
        fate: 'unknown',
        message: expect.stringMatching(/EOF|connection reset/),
      });
      expect(silent().requests).toHaveLength(1);
    });
  });
});
