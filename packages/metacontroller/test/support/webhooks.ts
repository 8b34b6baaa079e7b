/** A webhook server of a test: it answers with functions, and keeps what it was asked. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that the server has had. */
export interface HookCallRecord<Body = HookBody> {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Body;
}

/** What most tests read of a request. */
export interface HookBody {
  readonly parent: Named;
  readonly object: Named;
  readonly children: TypedObjects;
  readonly attachments: TypedObjects;
  readonly related: TypedObjects;
  readonly finalizing: boolean;
}

interface Named {
  readonly metadata: { readonly name: string; readonly generation?: number };
}

type TypedObjects = Readonly<Record<string, Readonly<Record<string, Named>>>>;

/** An answer that is not a plain 200. */
export class Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: string = '', headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** What a hook does: an answer as JSON, or a `Reply`. A throw is a 500. */
// biome-ignore lint/suspicious/noExplicitAny: each function names what it reads of a request
export type Decide = (request: any) => unknown;

export class WebhookServer {
  readonly #server: Server;
  readonly #hooks: Readonly<Record<string, Decide>>;
  readonly #calls: HookCallRecord[] = [];

  /** @param hooks - by path: `/sync`. */
  constructor(hooks: Readonly<Record<string, Decide>>) {
    this.#hooks = hooks;
    this.#server = createServer((request, response) => {
      text(request)
        .then((body) =>
          this.#answer({ path: request.url ?? '', headers: request.headers, text: body }, response),
        )
        .catch(() => response.destroy());
    });
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What it was asked so far, oldest first. Default: by every path. */
  calls(path?: string): readonly HookCallRecord[] {
    return this.#calls.filter((call) => path === undefined || call.path === path);
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(call: Omit<HookCallRecord, 'body'>, response: ServerResponse): Promise<void> {
    const body = JSON.parse(call.text) as HookBody;
    this.#calls.push({ ...call, body });
    const reply = await replyOf(() => this.#hooks[call.path]?.(body) ?? new Reply(404));
    response.writeHead(reply.status, { 'Content-Type': 'application/json', ...reply.headers });
    response.end(reply.body);
  }
}

async function replyOf(decide: () => unknown): Promise<Reply> {
  try {
    const answer = await decide();
    return answer instanceof Reply ? answer : new Reply(200, JSON.stringify(answer));
  } catch (error) {
    return new Reply(500, String(error));
  }
}
