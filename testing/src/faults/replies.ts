import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from 'chancery';
import { OperatorError, sleep } from 'chancery/internal-objects';
import { abortable, type Status } from 'chancery/internal-testing';
import type { End, Reply } from './exchange.ts';

type Headers = Readonly<Record<string, string>>;

/** One step of a body. Each piece of bytes is one write, and one chunk of a chunked body. */
export type Step =
  | string
  | Uint8Array
  /** Waits for this time on the server's clock. */
  | { readonly waitMs: number }
  | { readonly until: Promise<unknown> };

/** A complete answer with a JSON body. */
export function json(value: unknown, status = 200, headers: Headers = {}): Reply {
  return whole(status, { 'content-type': 'application/json', ...headers }, JSON.stringify(value));
}

/** A complete answer of plain text, such as `kubectl proxy`'s own answers. */
export function text(body: string, status = 200, headers: Headers = {}): Reply {
  return whole(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }, body);
}

/** A failure as an API server's `Status`, sent with its code as HTTP status. */
export function failure(
  status: Omit<Status, 'kind'> & { readonly code: number },
  headers: Headers = {},
): Reply {
  return json(failureStatus(status), status.code, headers);
}

/** A line of a watch with an event of type `ERROR`. */
export function errorEvent(status: Omit<Status, 'kind'>): string {
  return `${JSON.stringify({ type: 'ERROR', object: failureStatus(status) })}\n`;
}

/** Gives the answer of `reply` after a delay on the server's clock. */
export function delayed(delayMs: number, reply: Reply): Reply {
  return async (exchange) => {
    await sleep(exchange.clock, delayMs, exchange.signal);
    await reply(exchange);
  };
}

/** No answer: the connection stays open until one side closes it. */
export function silence(): Reply {
  return () => {};
}

/**
 * RST instead of an answer. The request has been read, so a client cannot know whether it was
 * carried out.
 */
export function reset(): Reply {
  return ({ response }) => {
    socketOf(response).resetAndDestroy();
  };
}

export interface StreamOptions {
  /** The status code. Default 200. */
  readonly status?: number;
  /** The headers. If omitted, the only header is `content-type: application/json`. */
  readonly headers?: Headers;
  /** How the answer ends. Default `finish`. */
  readonly end?: End;
}

/** An answer whose head is sent at once and whose body is sent in steps. */
export function stream(steps: readonly Step[], options: StreamOptions = {}): Reply {
  const { status = 200, headers = { 'content-type': 'application/json' }, end } = options;
  return async ({ response, clock, signal }) => {
    response.writeHead(status, headers);
    response.flushHeaders();
    await perform(steps, response, clock, signal);
    await endWith(response, end ?? 'finish');
  };
}

/**
 * The exact bytes of an answer, beginning with its status line. Nothing is added. `finish` and
 * `cut` both send FIN.
 */
export function raw(steps: readonly Step[], end: End = 'finish'): Reply {
  return async ({ response, clock, signal }) => {
    await perform(steps, socketOf(response), clock, signal);
    await endWith(response, end === 'finish' ? 'cut' : end);
  };
}

/** Ends an answer that has begun. */
export async function endWith(response: ServerResponse, end: End): Promise<void> {
  switch (end) {
    case 'finish':
      response.end();
      return;
    case 'cut':
      socketOf(response).end();
      return;
    case 'reset':
      // Only bytes that the kernel has accepted reach a client before the RST.
      await new Promise((resolve) => socketOf(response).write('', resolve));
      response.socket?.resetAndDestroy();
      return;
    case 'hang':
      return;
  }
}

function whole(status: number, headers: Headers, body: string): Reply {
  return ({ response }) => {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
}

function failureStatus(status: Omit<Status, 'kind'>): Status {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', ...status };
}

async function perform(
  steps: readonly Step[],
  to: ServerResponse | Socket,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  for (const step of steps) {
    signal.throwIfAborted();
    if (typeof step === 'string' || step instanceof Uint8Array) {
      if (!to.write(step)) await once(to, 'drain', { signal });
    } else if ('waitMs' in step) {
      await sleep(clock, step.waitMs, signal);
    } else {
      await abortable(step.until, signal);
    }
  }
}

function socketOf({ socket }: ServerResponse): Socket {
  if (socket !== null) return socket;
  throw new OperatorError('the connection of an answer is gone', {
    code: 'USER_CODE',
    layer: 'user-code',
  });
}
