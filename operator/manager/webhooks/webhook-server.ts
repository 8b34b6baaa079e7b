import { once } from 'node:events';
import { lstat, unlink } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { ConfigurationError, ProtocolError } from '../../core/errors.ts';
import { parseGoDuration } from '../../core/go/go-duration.ts';
import type { Endpoint, EndpointAnswer } from '../../webhook/endpoint.ts';
import { HttpListener, send } from '../http/listener.ts';
import { GATE_TEST_AGENT, GATE_TEST_READY } from '../safety/gate-test-agent.ts';
import { type ListenAddress, WEBHOOK_LISTEN } from '../settings/webhook-listen.ts';

/**
 * An object has at most 3 MiB, and a review contains up to two objects. The gate has the same
 * limit.
 */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Maximum total bytes of the bodies of all reviews in progress. After parsing, they take about ten times as
 * much memory.
 */
const MAX_BODIES_BYTES = 32 * 1024 * 1024;

/**
 * The limits for open connections. An API server sends at most 200 mutating requests at once
 * (`--max-mutating-requests-inflight`), and a cluster has several API servers.
 */
const LIMITS = { waiting: 512, answering: 1_024 };

/**
 * Milliseconds that an idle connection stays open. A gate closes idle connections earlier, so it never sends
 * a review on a connection that is just being closed here.
 */
const KEEP_ALIVE_MS = 90_000;

interface WebhookServerOptions {
  readonly listen: ListenAddress;
  readonly endpoints: readonly Endpoint[];
  /** Answers one review, and measures it. */
  readonly ask: (
    endpoint: Endpoint,
    text: string,
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ) => Promise<EndpointAnswer>;
  /**
   * Called for each request to an endpoint, with the status of the answer and, if the request is
   * not a review, the error.
   */
  readonly answered: (endpoint: Endpoint, status: number, error?: unknown) => void;
}

/**
 * Answers reviews in plain HTTP/1.1: POST of JSON, to declared paths. The gate in the same Pod has the
 * certificate. No request makes the server throw.
 */
export class WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  readonly #listener: HttpListener;
  #bodyBytes = 0;
  #isDraining = false;

  constructor(options: WebhookServerOptions) {
    const { endpoints, listen } = options;
    this.#options = options;
    this.#endpoints = new Map(endpoints.map((each) => [each.path, each]));
    this.#listener = new HttpListener({
      ...listen,
      unavailable: (cause) => unavailable(listen, cause),
      methods: ['POST'],
      readsBodies: true,
      limits: LIMITS,
      keepAliveMs: KEEP_ALIVE_MS,
      answer: (request, response) => void this.#answer(request, response),
    });
  }

  /** @throws ConfigurationError `CONFIG` when the address is not available. */
  async start(): Promise<void> {
    const { socket } = this.#options.listen;
    if (socket !== undefined) await removeStale(socket);
    await this.#listener.start();
  }

  get listening(): boolean {
    return this.#listener.listening;
  }

  /** The address in the notation of clients: `http://127.0.0.1:9440` or `unix:/path.sock`. */
  get address(): string {
    const { host, socket } = this.#options.listen;
    if (socket !== undefined) return `unix:${socket}`;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.#listener.port}`;
  }

  /** From now on, closes each connection after its next answer. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Accepts no more connections. Resolves when all reviews are answered. */
  close(): Promise<void> {
    return this.#listener.close();
  }

  /** Closes everything at once. Idempotent. */
  stop(): Promise<void> {
    return this.#listener.stop();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#isDraining) response.setHeader('connection', 'close');
    const [path = '', query] = (request.url ?? '').split('?', 2);
    const endpoint = this.#endpoints.get(path);
    if (endpoint === undefined) {
      refuse(request, response, 404, 'no webhook has this path\n');
      return;
    }
    if (request.headers['user-agent'] === GATE_TEST_AGENT) {
      refuse(request, response, 200, endpoint.ready() ? GATE_TEST_READY : 'not ready yet\n');
      return;
    }
    try {
      const { status, text } = await this.#answerTo(endpoint, request, response, query);
      if (response.destroyed) return; // nobody waits for it any more
      send(response, status, text, status === 200 ? 'application/json' : undefined);
      this.#options.answered(endpoint, status);
    } catch (error) {
      if (response.destroyed) return;
      const { status, message } = refusalOf(error);
      refuse(request, response, status, `${message}\n`);
      this.#options.answered(endpoint, status, error);
    }
  }

  async #answerTo(
    endpoint: Endpoint,
    request: IncomingMessage,
    response: ServerResponse,
    query: string | undefined,
  ): Promise<{ readonly status: number; readonly text: string }> {
    requireJson(request);
    if (!endpoint.ready()) throw new Refused(503, `${endpoint.name} is not ready yet`);
    const gone = new AbortController();
    response.once('close', () => gone.abort(new Refused(499, 'the client has gone away')));
    const body = new Body(MAX_BODY_BYTES, (bytes) => this.#reserve(bytes));
    try {
      const text = await body.read(request);
      const timeoutMs = timeLimitMs(endpoint, query);
      return await this.#options.ask(endpoint, text, { timeoutMs, signal: gone.signal });
    } finally {
      this.#bodyBytes -= body.bytes;
    }
  }

  /** @throws Refused when all reviews in progress together are too large. */
  #reserve(bytes: number): void {
    if (this.#bodyBytes + bytes > MAX_BODIES_BYTES) {
      throw new Refused(503, 'too many large reviews at once');
    }
    this.#bodyBytes += bytes;
  }
}

/** The error for a request that is answered with a status other than 200. */
class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Any other error is a bug, and its message might quote an object. The API server then follows the failure
 * policy.
 */
function refusalOf(error: unknown): { readonly status: number; readonly message: string } {
  if (error instanceof Refused) return error;
  if (error instanceof ProtocolError) return { status: 400, message: error.message };
  return { status: 500, message: 'the operator failed' };
}

/** Answers a request whose body may not have been read. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
): void {
  if (!request.complete) response.setHeader('connection', 'close');
  request.resume();
  send(response, status, text);
}

function requireJson({ headers }: IncomingMessage): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Refused(415, 'the body must be application/json');
  if (headers['content-encoding'] !== undefined) {
    throw new Refused(415, 'the body must have no content-encoding');
  }
}

/** Reads the body of a request, and reserves memory for it until the request is answered. */
class Body {
  /** The number of reserved bytes. */
  bytes = 0;
  readonly #maxBytes: number;
  readonly #reserve: (bytes: number) => void;

  constructor(maxBytes: number, reserve: (bytes: number) => void) {
    this.#maxBytes = maxBytes;
    this.#reserve = reserve;
  }

  /** @throws Refused when the body is too large or incomplete; ProtocolError when it is not UTF-8. */
  async read(request: IncomingMessage): Promise<string> {
    this.#require(Number(request.headers['content-length'] ?? 0));
    const chunks: Buffer[] = [];
    let read = 0;
    try {
      // If the request were destroyed, the connection would close before the answer is sent.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        read += (chunk as Buffer).length;
        this.#require(read);
        chunks.push(chunk as Buffer);
      }
    } catch (error) {
      throw error instanceof Refused ? error : new Refused(400, 'the body ends early');
    }
    return utf8(Buffer.concat(chunks));
  }

  #require(bytes: number): void {
    if (bytes > this.#maxBytes) {
      throw new Refused(413, `a review may have ${this.#maxBytes} bytes`);
    }
    const more = Math.max(bytes - this.bytes, 0);
    this.#reserve(more);
    this.bytes += more;
  }
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ProtocolError('a review is unusable: the body is not UTF-8', {
      code: 'DECODE',
      cause,
    });
  }
}

/**
 * 80 % of the time that the API server waits, or one second less than that time if this is longer, because
 * the answer needs time to arrive. The query of the request says how long the API server waits, because its
 * webhook configuration may differ from the declaration.
 */
function timeLimitMs({ timeoutSeconds }: Endpoint, query: string | undefined): number {
  const declaredMs = timeoutSeconds * 1_000;
  const asked = new URLSearchParams(query).get('timeout') ?? '';
  const askedMs = parseGoDuration(asked) ?? declaredMs;
  const waitsMs = askedMs > 0 ? Math.min(declaredMs, askedMs) : declaredMs;
  return Math.max(waitsMs * 0.8, waitsMs - 1_000);
}

/**
 * Removes a socket that a killed container has left in the shared volume. It does not remove a socket on
 * which a process listens. It does not remove a file that is not a socket either, although Linux refuses
 * connections to it in the same way.
 */
async function removeStale(path: string): Promise<void> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
  } catch (error) {
    const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
    if (isRefused && (await lstat(path)).isSocket()) await unlink(path);
  } finally {
    socket.destroy();
  }
}

function unavailable(
  { host, port, socket }: ListenAddress,
  cause: NodeJS.ErrnoException,
): ConfigurationError {
  const place = socket === undefined ? `${host}:${port}` : `unix:${socket}`;
  const { code = 'unknown' } = cause;
  const problem =
    {
      EADDRINUSE: 'is taken: another process listens on it, or it is the path of a file',
      EACCES: 'is not allowed to this user',
      ENOENT: 'is in a folder that does not exist: mount a volume that the gate mounts, too',
    }[code] ?? 'cannot be listened on';
  return new ConfigurationError(
    `the address of webhooks, ${place}, ${problem}. Set ${WEBHOOK_LISTEN} to another one`,
    { cause, context: { address: place, cause: code } },
  );
}
