import type { RecordedExchange } from '../../../support/recorded-stream.ts';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | null;
  readonly body: string;
}

/** Headers that belong to one connection, not to what is asked. */
const OF_CONNECTION = [
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'transfer-encoding',
  'sec-fetch-mode',
];

/**
 * Sends recorded requests to another server, in order. Names that a server makes up (uid,
 * resourceVersion, continue, generated names) are learnt from its answers and put into later
 * requests in the place of the recorded ones.
 */
export class Replay {
  readonly #url: string;
  readonly #names = new Map<string, string>();
  readonly #versions = new Map<string, string>();

  constructor(url: string) {
    this.#url = url;
  }

  async send({ request, response }: RecordedExchange): Promise<Answer> {
    const headers = new Headers(request.headers as Record<string, string>);
    for (const name of OF_CONNECTION) headers.delete(name);
    if (!headers.has('user-agent')) headers.set('user-agent', 'operator-recording/1');
    const bodied = request.method !== 'GET' && request.method !== 'HEAD';
    const answer = await fetch(this.#url + this.#renamed(request.path), {
      method: request.method,
      headers,
      ...(bodied && request.body !== undefined ? { body: this.#renamed(request.body) } : {}),
    });
    const body = await answer.text();
    this.#learn(parsed(response.body ?? ''), parsed(body));
    return {
      status: answer.status,
      contentType: answer.headers.get('content-type') ?? '',
      retryAfter: answer.headers.get('retry-after'),
      body,
    };
  }

  #renamed(text: string): string {
    let renamed = text;
    for (const [recorded, own] of this.#names) renamed = renamed.replaceAll(recorded, own);
    return renamed.replace(
      /(resourceVersion(?:=|":"))(\d+)/g,
      (match, before: string, version: string) => {
        const own = this.#versions.get(version);
        return own === undefined ? match : before + own;
      },
    );
  }

  #learn(recorded: unknown, own: unknown): void {
    if (!isObject(recorded) || !isObject(own)) return;
    const [theirs, ours] = [recorded.metadata, own.metadata];
    if (isObject(theirs) && isObject(ours)) {
      this.#pair(this.#names, theirs.uid, ours.uid);
      this.#pair(this.#names, theirs.continue, ours.continue);
      this.#pair(this.#versions, theirs.resourceVersion, ours.resourceVersion);
      if (theirs.generateName !== undefined) this.#pair(this.#names, theirs.name, ours.name);
    }
    for (const [field, value] of Object.entries(recorded)) this.#learn(value, own[field]);
  }

  #pair(names: Map<string, string>, recorded: unknown, own: unknown): void {
    if (typeof recorded === 'string' && typeof own === 'string' && recorded !== '') {
      names.set(recorded, own);
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

/** A body in which everything that two servers make up differently is the same. */
export function comparable(body: string): unknown {
  const text = body
    .replace(UID, 'UID')
    .replace(TIME, 'TIME')
    .replace(/"resourceVersion":"\d+"/g, '"resourceVersion":"RV"')
    .replace(/(does not match the ResourceVersion in record )\(\d+\)/g, '$1(RV)')
    .replace(/(Too large resource version: \d+, current: )\d+/g, '$1RV')
    .replace(/(too old resource version: )\d+ \(\d+\)/g, '$1RV (RV)')
    .replace(/"continue":"[\w-]{20,}"/g, '"continue":"TOKEN"')
    .replace(/gen-[a-z0-9]{5}/g, 'gen-XXXXX')
    .replace(/"(?:\d+[smhdy])+"\],"object"/g, '"AGE"],"object"')
    .replace(/127\.0\.0\.1:\d+/g, 'ADDRESS');
  return parsed(text) ?? text;
}
