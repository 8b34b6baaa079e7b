import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { FakeClock } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import { recordingLog } from '../../../../test/support/recording-log.ts';
import type { KeyReader } from '../../src/call/key-reader.ts';
import { OwnAddresses } from '../../src/call/webhook/own-addresses.ts';
import { Webhook } from '../../src/call/webhook/webhook.ts';
import { HookError } from '../../src/hook-error.ts';
import type { HookCall, HookRequest } from '../../src/hook-function.ts';
import type { KeyReference, WebhookSpec } from '../../src/spec.ts';

/** A hook over HTTP, or HTTPS with options. */
export async function hookServer(listener: RequestListener, tls?: ServerOptions) {
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}` };
}

/** A request as a hook received it. */
export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A hook that remembers what it received, and answers with the next answer; the last one is for all that follow. */
export async function scriptedHook(
  ...answers: readonly ((response: ServerResponse, received: Received) => void)[]
) {
  const received: Received[] = [];
  const hook = await hookServer((request, response) => {
    void text(request).then((body) => {
      const { method, url, headers } = request;
      const one = { method, url, headers, body };
      received.push(one);
      answers[Math.min(received.length, answers.length) - 1]?.(response, one);
    });
  });
  return { ...hook, received };
}

/** An answer with a status, headers and a body. */
export function answering(status: number, headers: Record<string, string> = {}, body = '{}') {
  return (response: ServerResponse): void => {
    response.writeHead(status, headers).end(body);
  };
}

/** Keys that a test may change. */
export function keysOf(values: Record<string, string>): KeyReader & { values: typeof values } {
  return {
    values,
    async read({ namespace, name, key }) {
      const value = values[`${namespace}/${name}/${key}`];
      if (value !== undefined) return Buffer.from(value);
      throw new HookError(`no ${namespace}/${name}/${key}`, { reason: 'MissingCredentials' });
    },
    close() {},
  };
}

export function keyReference(
  name: string,
  key: string,
  kind: KeyReference['kind'] = 'Secret',
): KeyReference {
  return { kind, namespace: 'farm', name, key };
}

/** A webhook, and what it is called with. It ends with the test. */
export function webhook(
  spec: Partial<WebhookSpec> & Pick<WebhookSpec, 'url'>,
  {
    keys = keysOf({}),
    clock = new FakeClock(),
    apiUrl = 'http://127.0.0.1:1',
    ownPorts = () => [],
  }: {
    readonly keys?: KeyReader;
    readonly clock?: FakeClock;
    readonly apiUrl?: string;
    readonly ownPorts?: () => readonly number[];
  } = {},
) {
  const hook = new Webhook(
    { timeoutMs: 10_000, connection: {}, ...spec },
    { keys, ownAddresses: new OwnAddresses({ apiUrl, ownPorts }), clock },
  );
  onTestFinished(() => hook.close());
  return {
    hook,
    clock,
    call: (options?: Partial<HookCall>) => hook.call(request(), call(options)),
  };
}

export function request(value: Record<string, unknown> = { parent: { a: 1 } }): HookRequest {
  return { value, text: async () => JSON.stringify(value) };
}

export function call(options: Partial<HookCall> = {}): HookCall {
  const { signal } = new AbortController();
  return { signal, log: recordingLog().logFor({}), subject: 'uid', ...options };
}
