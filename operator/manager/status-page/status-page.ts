import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cancel, Clock } from '../../core/clock.ts';
import { send } from '../http/listener.ts';
import { statusPageFile } from './page.ts';
import type { ProcessStatus } from './process-status.ts';

interface StatusPageOptions {
  readonly clock: Clock;
  readonly status: () => ProcessStatus;
}

/** How often an open page is told. */
const PUSH_MS = 1_000;

/** Open pages; each costs a socket and a JSON text every second. */
const MAX_READERS = 16;

/** A reader that lags by so much has gone, or cannot be helped. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/**
 * `/status`: a page for people, by itself and without a script of others; `/status.json`: what it shows;
 * `/status/events`: the same again and again, as server-sent events. `/` leads to the page.
 */
export class StatusPage {
  readonly #options: StatusPageOptions;
  readonly #readers = new Set<ServerResponse>();
  #cancelPush: Cancel | undefined;

  constructor(options: StatusPageOptions) {
    this.#options = options;
  }

  /** True when it has answered, or has begun to. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const [path] = (request.url ?? '').split('?', 1);
    switch (path) {
      case '/':
        response.setHeader('location', 'status');
        send(response, 302, '');
        return true;
      case '/status':
        sendPage(response);
        return true;
      case '/status.json':
        send(response, 200, `${JSON.stringify(this.#options.status())}\n`, 'application/json');
        return true;
      case '/status/events':
        this.#subscribe(request, response);
        return true;
      default:
        return false;
    }
  }

  /** Ends every open stream. */
  stop(): void {
    this.#cancelPush?.();
    this.#cancelPush = undefined;
    for (const response of this.#readers) response.destroy();
    this.#readers.clear();
  }

  #subscribe(request: IncomingMessage, response: ServerResponse): void {
    if (this.#readers.size >= MAX_READERS) {
      send(response, 503, `more than ${MAX_READERS} pages are open\n`);
      return;
    }
    request.socket.setTimeout(0); // nothing is ever read from it again
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-store',
      'x-content-type-options': 'nosniff',
    });
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    response.once('close', () => this.#leave(response));
    this.#readers.add(response);
    response.write(this.#event());
    this.#cancelPush ??= this.#options.clock.schedule(PUSH_MS, () => this.#push());
  }

  #leave(response: ServerResponse): void {
    this.#readers.delete(response);
    if (this.#readers.size > 0) return;
    this.#cancelPush?.();
    this.#cancelPush = undefined;
  }

  /** One look for all readers. */
  #push(): void {
    this.#cancelPush = this.#options.clock.schedule(PUSH_MS, () => this.#push());
    const event = this.#event();
    for (const response of [...this.#readers]) {
      if (response.writableLength > MAX_BUFFERED_BYTES) response.destroy();
      else response.write(event);
    }
  }

  /** JSON has no line breaks, which would end the data. */
  #event(): string {
    return `data: ${JSON.stringify(this.#options.status())}\n\n`;
  }
}

function sendPage(response: ServerResponse): void {
  const { html, policy } = statusPageFile();
  response.setHeader('content-security-policy', policy);
  response.setHeader('referrer-policy', 'no-referrer');
  send(response, 200, html, 'text/html; charset=utf-8');
}
