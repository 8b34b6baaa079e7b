import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: a test reads into a review that it asserts about
export type Review = any;

/** What a webhook does with a review: it returns the response without its uid, or answers by itself. */
export type Respond = (
  request: Review,
  exchange: { readonly response: ServerResponse; readonly path: string },
) => object | undefined | Promise<object | undefined>;

export interface WebhookServer {
  readonly url: string;
  readonly port: number;
  /** The requests in the reviews that came, in order. */
  readonly reviews: Review[];
  close(): Promise<void>;
}

interface Options {
  /** Default: plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Default 0: any free port. */
  readonly port?: number;
}

/** A webhook for admission or conversion that the test's end closes. */
export async function startWebhook(
  respond: Respond,
  { tls, port = 0 }: Options = {},
): Promise<WebhookServer> {
  const reviews: Review[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    void answer(request, response, reviews, respond);
  };
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  const close = (): Promise<void> => closed(server);
  onTestFinished(close);
  const scheme = tls === undefined ? 'http' : 'https';
  return { url: `${scheme}://127.0.0.1:${bound}`, port: bound, reviews, close };
}

/** A webhook of which only the texts count: it gets that of a review, and returns that of its answer. */
export async function startRawWebhook(respond: (text: string) => string): Promise<{ url: string }> {
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(respond(await textOf(request)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => closed(server));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  const done = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await done;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  reviews: Review[],
  respond: Respond,
): Promise<void> {
  const review = JSON.parse(await textOf(request));
  reviews.push(review.request);
  const made = await respond(review.request, { response, path: request.url ?? '' });
  if (made === undefined) return;
  const { kind, apiVersion } = review;
  const whole = { kind, apiVersion, response: { uid: review.request.uid, ...made } };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(whole));
}

/** The fields of a response that patches. */
export function patchOf(operations: readonly object[]): object {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}

/** One webhook of a configuration, about the creation and change of ConfigMaps. */
export function webhook(name: string, clientConfig: object, more: object = {}): object {
  return {
    name,
    clientConfig,
    rules: [
      {
        operations: ['CREATE', 'UPDATE'],
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['configmaps'],
      },
    ],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  };
}

/** A configuration of validating or mutating webhooks. */
export function configuration(
  kind: 'Validating' | 'Mutating',
  name: string,
  webhooks: readonly object[],
): never {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks,
  } as never;
}
