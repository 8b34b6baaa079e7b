import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ConfigurationError, messageOf } from 'chancery/internal-objects';
import type { ApiServer } from '../apiserver/api-server.ts';
import { requireSchema } from '../apiserver/fault-rules/checked-value.ts';
import { ImpossibleSnapshot } from '../apiserver/storage/snapshot-contents.ts';
import { documentOf, isRequired, SNAPSHOT_TYPE } from './document.ts';
import {
  type AdminClock,
  type Administered,
  OPERATIONS,
  type Operation,
  SNAPSHOT,
} from './operations.ts';
import { RefusedRequest } from './refused-request.ts';
import { strangerProblem } from './stranger.ts';

export type { AdminClock } from './operations.ts';

export interface AdminOptions {
  /** The port to listen on. If omitted or 0, the endpoint takes any free port. */
  readonly port?: number;
  /** The clock that the server was started with, such as a `MovableClock`. */
  readonly clock: AdminClock;
}

const DOCUMENT_PATH = '/openapi.json';

/**
 * A port of 127.0.0.1 through which tests in other languages control the server: faults, the clock,
 * ended watches, compaction and snapshots. `/openapi.json` describes the operations. A request
 * whose Host or Origin is not this machine is refused. There is no other access check.
 */
export class AdminEndpoint {
  readonly #administered: Administered;
  readonly #server: Server;
  readonly #document: object = documentOf(OPERATIONS);
  #port = 0;

  private constructor(administered: Administered) {
    this.#administered = administered;
    const { createServer } = process.getBuiltinModule('node:http');
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** A listening endpoint. The caller must close the endpoint, and the server. */
  static async start(server: ApiServer, { port = 0, clock }: AdminOptions): Promise<AdminEndpoint> {
    const endpoint = new AdminEndpoint({ server, clock });
    endpoint.#server.listen(port, '127.0.0.1');
    await once(endpoint.#server, 'listening');
    endpoint.#port = (endpoint.#server.address() as AddressInfo).port;
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Stops listening, and closes every connection. Further calls do nothing. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#serve(request, response);
    } catch (error) {
      if (response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
      const code = error instanceof RefusedRequest ? error.code : codeOf(error);
      json(response, code, { message: messageOf(error) });
      request.resume(); // a client that is still sending could not read the answer
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stranger = strangerProblem(request.headers);
    if (stranger !== undefined) throw new RefusedRequest(403, stranger);
    const [path] = (request.url ?? '/').split('?', 1);
    if (path === DOCUMENT_PATH && request.method === 'GET') {
      json(response, 200, this.#document);
      return;
    }
    const operation = operationOf(request.method, path, response);
    const body = await bodyOf(request, operation);
    const answer = await operation.act(this.#administered, body);
    if (operation.answer === undefined) response.writeHead(204).end();
    else if (operation.answer === SNAPSHOT) {
      response.writeHead(200, { 'content-type': SNAPSHOT_TYPE });
      await pipeline(Readable.from(answer as Iterable<string>), response);
    } else json(response, 200, answer);
  }
}

function operationOf(
  method: string | undefined,
  path: string | undefined,
  response: ServerResponse,
): Operation {
  const there = OPERATIONS.filter((each) => each.path === path);
  if (there.length === 0 && path !== DOCUMENT_PATH) {
    const known = [...new Set(OPERATIONS.map((each) => each.path))].join(', ');
    throw new RefusedRequest(404, `nothing is at this path; known: ${DOCUMENT_PATH}, ${known}`);
  }
  const operation = there.find((each) => each.method === method);
  if (operation !== undefined) return operation;
  const allowed = there.length === 0 ? 'GET' : there.map((each) => each.method).join(', ');
  response.setHeader('allow', allowed);
  throw new RefusedRequest(405, `this path takes ${allowed}`);
}

async function bodyOf(request: IncomingMessage, { body }: Operation): Promise<unknown> {
  if (body === undefined) {
    request.resume();
    return undefined;
  }
  const bytes = await bytesOf(request, body.limitBytes);
  if (body.form === SNAPSHOT) return bytes;
  const value = bytes.length === 0 && !isRequired(body.form) ? {} : jsonOf(bytes);
  requireSchema(value, body.form, 'the body');
  return value;
}

async function bytesOf(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const tooLarge = (): RefusedRequest =>
    new RefusedRequest(413, `the body has more than ${limitBytes} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > limitBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new RefusedRequest(400, `the body is no JSON: ${messageOf(error)}`);
  }
}

function codeOf(error: unknown): number {
  if (error instanceof ImpossibleSnapshot) return 422;
  return error instanceof ConfigurationError ? 400 : 500;
}

function json(response: ServerResponse, code: number, value: unknown): void {
  const text = `${JSON.stringify(value)}\n`;
  const length = String(Buffer.byteLength(text));
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': length });
  response.end(text);
}
