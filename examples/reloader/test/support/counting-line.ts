import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that has come through the line. */
export interface Passed {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Behind the question mark; empty without one. */
  readonly query: string;
  /** Bytes of the answer's body so far; of a watch they grow. Heads are not counted. */
  bytes: number;
}

/**
 * A line on loopback between an operator and its ambassador. It passes everything on as it is and as it
 * comes, and counts the bytes of every answer.
 */
export class CountingLine {
  /** Every request, in the order in which they came. */
  readonly passed: Passed[] = [];
  readonly #upstream: URL;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;

  /** @param url - of the ambassador. */
  constructor(url: string) {
    this.#upstream = new URL(url);
    this.#server = createServer((incoming, response) => this.#carry(incoming, response));
    this.#server.requestTimeout = 0;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await closed;
  }

  /** Requests that concern Secrets: lists, watches and single ones. */
  secrets(): readonly Passed[] {
    return this.passed.filter(({ path }) =>
      /^\/api\/v1\/(?:namespaces\/[^/]+\/)?secrets(\/|$)/.test(path),
    );
  }

  #carry(incoming: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url = '/', headers } = incoming;
    const [path = '', query = ''] = url.split('?', 2);
    const passed: Passed = { method, path, query, bytes: 0 };
    this.passed.push(passed);
    const { hostname, port, host } = this.#upstream;
    const onward = request({
      ...{ hostname, port, method, path: url },
      headers: { ...headers, host },
      agent: this.#agent,
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      response.flushHeaders();
      answer.on('data', (chunk: Buffer) => {
        passed.bytes += chunk.length;
      });
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }
}

/** What the bytes of Secret responses are held against. */
export interface SecretBudget {
  /** Sum of the values of the referenced Secrets, in base64. */
  readonly payloadBytes: number;
  /** One list of the metadata of all Secrets. */
  readonly listBytes: number;
}

/** The most bytes of Secret responses: three reads of what is referenced, and one and a half lists. */
export function allowedBytes({ payloadBytes, listBytes }: SecretBudget): number {
  return 3 * payloadBytes + 1.5 * listBytes;
}

/** Bytes of one list of the metadata of all Secrets, in JSON. @param url - of a namespace's or of all Secrets. */
export async function metadataListBytes(url: string): Promise<number> {
  const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
  const answer = await fetch(url, { headers: { accept, 'accept-encoding': 'identity' } });
  if (!answer.ok) throw new Error(`HTTP ${answer.status} for a list of Secrets`);
  return (await answer.arrayBuffer()).byteLength;
}
