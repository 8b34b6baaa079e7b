/**
 * One request to a server outside of the cluster's API: alerts and the webhook. With the modules of Node, so that no
 * environment variable chooses a proxy and every limit is here.
 */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from 'chancery';

export interface Post {
  /** `http:` or `https:`. It may contain a token: no error has it. */
  readonly url: URL;
  readonly contentType: string;
  readonly body: string;
  /** More headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An HTTP proxy, with `http:` or `https:`. Undefined: none, whatever other variables say. */
  readonly proxy?: URL | undefined;
  /** Until the head of the answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The head of an answer. The body is not read. */
export interface PostAnswer {
  readonly status: number;
}

/** True for a status with which a server sends its client to another address. */
export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

/** Why an answer with a redirect counts as a failure. */
export function redirectRefused(status: number): string {
  return `the server answered ${status}, and redirects are refused`;
}

/** A POST that got no answer. The message is constant and never has the URL. */
export class PostError extends Error {
  override readonly name = 'PostError';
}

/**
 * Sends it once. A redirect is an answer like others, and is never followed: its target could be the ambassador.
 *
 * @throws PostError when no answer arrives in time, when the connection breaks, and when a proxy refuses; the
 *   message has the code of Node (`ECONNREFUSED`), if there is one.
 * @throws `signal.reason` when aborted.
 */
export async function post(what: Post): Promise<PostAnswer> {
  const { clock, timeoutMs, signal } = what;
  signal.throwIfAborted();
  const limit = new AbortController();
  const cancel = clock.schedule(timeoutMs, () => limit.abort());
  const either = AbortSignal.any([signal, limit.signal]);
  try {
    return await exchange(what, either);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.signal.aborted) throw new PostError(`no answer within ${timeoutMs} ms`);
    throw error instanceof PostError ? error : new PostError(reasonOf(error));
  } finally {
    cancel();
  }
}

/** The text of an error of Node may have the host name. Its code does not. */
function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? 'the request failed' : `the request failed: ${code}`;
}

async function exchange(what: Post, signal: AbortSignal): Promise<PostAnswer> {
  const { url, proxy, body } = what;
  const headers = {
    'content-type': what.contentType,
    'content-length': String(Buffer.byteLength(body)),
    ...(url.username !== '' && { authorization: basic(url) }),
    ...what.headers,
  };
  if (proxy === undefined) return answerOf(requestTo(url, { headers, signal }), body);
  if (url.protocol === 'http:') {
    // RFC 9112, section 3.2.2: a proxy gets the whole address instead of the path.
    const path = `${url.origin}${url.pathname}${url.search}`;
    const forProxy = { ...headers, host: url.host, ...proxyHeaders(proxy) };
    return answerOf(requestTo(proxy, { headers: forProxy, signal, path }), body);
  }
  const tunnel = await tunnelTo(url, proxy, signal);
  try {
    const tls = connectTls({ socket: tunnel, servername: serverName(url) });
    const parts = { method: 'POST', headers, signal, createConnection: () => tls };
    const request = overHttps(withoutCredentials(url), parts);
    return await answerOf(request, body);
  } finally {
    tunnel.destroy();
  }
}

interface RequestParts {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly path?: string;
}

/** On a connection of its own, which ends with the answer. */
function requestTo(url: URL, parts: RequestParts): ClientRequest {
  const send = url.protocol === 'https:' ? overHttps : overHttp;
  return send(withoutCredentials(url), { method: 'POST', agent: false, ...parts });
}

async function answerOf(request: ClientRequest, body: string): Promise<PostAnswer> {
  try {
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0 };
  } finally {
    request.on('error', () => {}); // of the connection that is closed here
    request.destroy();
  }
}

/** A connection through the proxy (RFC 9110, section 9.3.6). TLS is spoken inside of it, so the proxy reads nothing. */
async function tunnelTo(url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const send = proxy.protocol === 'https:' ? overHttps : overHttp;
  const authority = `${url.hostname}:${url.port || '443'}`;
  const request = send(withoutCredentials(proxy), {
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...proxyHeaders(proxy) },
    agent: false,
    signal,
  }).end();
  // Every answer to a CONNECT is this event, whatever its status.
  const [response, socket] = (await once(request, 'connect')) as [IncomingMessage, Socket];
  if (response.statusCode === 200) return socket;
  socket.destroy();
  throw new PostError(`the proxy answered ${response.statusCode}`);
}

function proxyHeaders(proxy: URL): Readonly<Record<string, string>> {
  return proxy.username === '' ? {} : { 'proxy-authorization': basic(proxy) };
}

function basic({ username, password }: URL): string {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function withoutCredentials(url: URL): URL {
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}

/** TLS names no IP address (RFC 6066, section 3). */
function serverName({ hostname }: URL): string {
  return /^[\d.]+$|^\[/.test(hostname) ? '' : hostname;
}
