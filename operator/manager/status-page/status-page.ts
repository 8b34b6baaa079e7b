import type { IncomingMessage, ServerResponse } from 'node:http';
import { nodeCrypto } from '../../core/builtin-modules.ts';
import type { Cancel, Clock } from '../../core/clock.ts';
import { textFiles } from '../../core/text/text-files.ts';
import { withoutModules } from '../../core/text/without-modules.ts';
import { send } from '../http/listener.ts';
import { answerKeys, answerWhy } from './key-requests.ts';
import type { KeyView } from './key-view.ts';
import type { ProcessStatus } from './process-status.ts';

interface StatusPageOptions {
  readonly clock: Clock;
  readonly status: () => ProcessStatus;
  readonly keys: Pick<KeyView, 'why' | 'search' | 'controllers'>;
}

/** Milliseconds between two updates of an open page. */
const PUSH_MS = 1_000;

/** Maximum number of open pages. Each one costs a socket, and one JSON string per second. */
const MAX_READERS = 16;

/** A reader with this much unread data is gone or too slow. Its stream is closed. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/**
 * Serves `/status`, a self-contained page for people; `/status.json`, the same content as data; and
 * `/status/events`, the same data repeatedly as server-sent events. `/` redirects to the page. `/keys.json`
 * finds keys, and `/why.json` explains what a key waits for.
 */
export class StatusPage {
  readonly #options: StatusPageOptions;
  readonly #readers = new Set<ServerResponse>();
  #cancelPush: Cancel | undefined;

  constructor(options: StatusPageOptions) {
    this.#options = options;
  }

  /** True when the page has answered the request, or has begun to answer it. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const [path, query] = (request.url ?? '').split('?', 2);
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
      case '/why.json':
        answerWhy(this.#options.keys, new URLSearchParams(query), response);
        return true;
      case '/keys.json':
        answerKeys(this.#options.keys, new URLSearchParams(query), response);
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
    request.socket.setTimeout(0); // no idle limit: this client sends nothing more
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

  /** Sends one snapshot to all readers. */
  #push(): void {
    this.#cancelPush = this.#options.clock.schedule(PUSH_MS, () => this.#push());
    const event = this.#event();
    for (const response of [...this.#readers]) {
      if (response.writableLength > MAX_BUFFERED_BYTES) response.destroy();
      else response.write(event);
    }
  }

  /** The status as an event. JSON contains no line breaks, which would end the event. */
  #event(): string {
    return `data: ${JSON.stringify(this.#options.status())}\n\n`;
  }
}

const PATHS: ReadonlySet<string | undefined> = new Set([
  '/',
  '/status',
  '/status.json',
  '/status/events',
  '/why.json',
  '/keys.json',
]);

/**
 * Answers a request with the text that the page is off. Returns false when the request is for none of the
 * page's paths.
 */
export function answersOff(request: IncomingMessage, response: ServerResponse): boolean {
  const [path] = (request.url ?? '').split('?', 1);
  if (!PATHS.has(path)) return false;
  send(response, 404, 'the status page is turned off: CHANCERY_STATUS_PAGE=false\n');
  return true;
}

function sendPage(response: ServerResponse): void {
  const { html, policy } = statusPageFile();
  response.setHeader('content-security-policy', policy);
  response.setHeader('referrer-policy', 'no-referrer');
  send(response, 200, html, 'text/html; charset=utf-8');
}

const files = textFiles(new URL('./', import.meta.url));

/** The tags in `page.html` that are replaced with the contents of the files. */
const STYLE_TAG = '<link rel="stylesheet" href="page.css">';
const SCRIPT_TAG = '<script type="module" src="main.js"></script>';

/** The scripts of the page. Each file comes after the files from which it imports. */
const SCRIPTS = ['dom.js', 'words.js', 'sections.js', 'keys.js', 'main.js'];

interface Page {
  readonly html: string;
  /** Content security policy: the page's own style and script, and connections to its own server. */
  readonly policy: string;
}

let page: Page | undefined;

/**
 * `page.html` with inlined style and scripts, so that the browser requests no other file. Created once, on
 * first use.
 */
function statusPageFile(): Page {
  page ??= assembled();
  return page;
}

function assembled(): Page {
  const style = files('page/page.css');
  const script = withoutModules(SCRIPTS.map((name) => files(`page/${name}`)));
  const html = files('page/page.html')
    .replace(STYLE_TAG, () => `<style>${style}</style>`)
    .replace(SCRIPT_TAG, () => `<script type="module">${script}</script>`);
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}

function hashOf(text: string): string {
  return `sha256-${nodeCrypto().createHash('sha256').update(text).digest('base64')}`;
}
