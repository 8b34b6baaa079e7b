import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo, ListenOptions } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { type GateProcess, SERVICE } from './gate-process.ts';

/** A request as the operator has it. */
export interface Seen {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The answer of the operator, by what it is asked. */
export type Answering = (seen: Seen) => Answer | Promise<Answer>;

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Plain HTTP as an operator serves it, with what it was asked. */
export class PlainOperator {
  readonly seen: Seen[] = [];
  /** Connections that it has taken. */
  connections = 0;
  /** What the gate is told of its address. */
  readonly address: string;
  answer: Answering = allowed;
  readonly #server: Server;

  private constructor(server: Server, address: string) {
    this.#server = server;
    this.address = address;
    server.on('connection', () => {
      this.connections++;
    });
    server.on('request', async (incoming, outgoing) => {
      const line = `${incoming.method} ${incoming.url} HTTP/${incoming.httpVersion}`;
      const at = this.seen.push({ line, headers: incoming.headers, body: '' }) - 1;
      const body = await text(incoming).catch(() => '');
      const seen = { line, headers: incoming.headers, body };
      this.seen[at] = seen;
      const { status = 200, headers = {}, body: answer } = await this.answer(seen);
      outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(answer);
    });
  }

  /** @param path - of a unix socket; on TCP without one. */
  static async start(path?: string): Promise<PlainOperator> {
    const server = createServer({ keepAliveTimeout: 65_000 });
    const socket = { path, readableAll: true, writableAll: true }; // for the user of the gate
    const options: ListenOptions = path === undefined ? { host: '127.0.0.1', port: 0 } : socket;
    server.listen(options);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return new PlainOperator(server, path === undefined ? `127.0.0.1:${port}` : `unix:${path}`);
  }

  forget(): void {
    this.seen.length = 0;
    this.connections = 0;
    this.answer = allowed;
  }

  /** Closes the connections on which nothing is under way. */
  dropIdle(): void {
    this.#server.closeIdleConnections();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }
}

/** An `AdmissionReview` of a new ConfigMap, as the API server sends it, filled up to `bytes`. */
export function review(uid: string, bytes = 0, name = 'a'): string {
  const of = (filler: string): string =>
    JSON.stringify({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      request: {
        uid,
        kind: { group: '', version: 'v1', kind: 'ConfigMap' },
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
        requestResource: { group: '', version: 'v1', resource: 'configmaps' },
        name,
        namespace: 'demo',
        operation: 'CREATE',
        userInfo: { username: 'jane', uid: '1', groups: ['system:authenticated'] },
        object: {
          kind: 'ConfigMap',
          apiVersion: 'v1',
          metadata: {
            name,
            namespace: 'demo',
            uid: 'd1',
            creationTimestamp: '2026-01-02T03:04:05Z',
          },
          data: { filler },
        },
        oldObject: null,
        dryRun: false,
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      },
    });
  return of('x'.repeat(Math.max(0, bytes - of('').length)));
}

function allowed({ body }: Seen): Answer {
  const { request } = JSON.parse(body || '{}') as { request?: { uid: string } };
  return { body: verdict({ uid: request?.uid, allowed: true }) };
}

/** An `AdmissionReview` with this response. */
export function verdict(response: object): string {
  return JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response });
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Serial number of the certificate that the gate has presented. */
  readonly serial: string;
}

/** An API server's client of webhooks: TLS with SNI and `caBundle`, HTTP/1.1, connections kept. */
export class WebhookClient {
  readonly #gate: GateProcess;
  readonly #agent: Agent;

  constructor(gate: GateProcess, { keepAlive = true } = {}) {
    this.#gate = gate;
    this.#agent = new Agent({ keepAlive, maxSockets: 25, maxCachedSessions: 0 });
  }

  /** @throws Error of the connection when it gets no answer. */
  async post(path: string, body: string, headers: Record<string, string> = {}): Promise<Reply> {
    const asked = request({
      host: '127.0.0.1',
      port: this.#gate.port,
      method: 'POST',
      path: `${path}?timeout=10s`,
      agent: this.#agent,
      ca: this.#gate.authority.certificate,
      servername: SERVICE,
      headers: {
        host: `${SERVICE}:443`,
        'user-agent': 'kube-apiserver-admission',
        'content-length': String(Buffer.byteLength(body)),
        accept: 'application/json, */*',
        'content-type': 'application/json',
        'accept-encoding': 'gzip',
        ...headers,
      },
    });
    asked.end(body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const serial = serialOf(answer.socket as TLSSocket);
    return {
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      body: await text(answer),
      serial,
    };
  }

  close(): void {
    this.#agent.destroy();
  }
}

const SERIALS = new WeakMap<TLSSocket, string>();

/** Read once for each connection: it costs as much as a review. */
function serialOf(socket: TLSSocket): string {
  const serial = SERIALS.get(socket) ?? socket.getPeerCertificate().serialNumber;
  SERIALS.set(socket, serial);
  return serial;
}

/** `count` reviews at an even rate. Resolves to what became of each, in the order in which they were sent. */
export async function steadily(
  count: number,
  perSecond: number,
  send: (at: number) => Promise<Reply>,
): Promise<readonly (Reply | Error)[]> {
  const startedAt = performance.now();
  const sent: Promise<Reply | Error>[] = [];
  for (let at = 0; at < count; at++) {
    await sleep(Math.max(0, startedAt + (at * 1000) / perSecond - performance.now()));
    sent.push(send(at).catch((error: Error) => error));
  }
  return Promise.all(sent);
}
