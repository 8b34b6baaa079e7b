import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { configMap } from './config-map.ts';
import { pour } from './pour.ts';
import { ENDLESS_NAMESPACE, type Profile, pathOf } from './profile.ts';
import { type Counts, Tally } from './tally.ts';
import { type Burst, World } from './world.ts';

/** Between two chunks of an event that comes in pieces: long enough that no two are read as one. */
const CHUNK_GAP_MS = 1;
/** Between two events for others while an endless line is sent. */
const BESIDE_MS = 2;
/** What an endless line is made of. */
const FILLER = Buffer.alloc(1 << 20, 'x');

export interface LoadServerOptions {
  readonly profile: Profile;
  readonly objects: number;
  /** Serialise the streamed list, too, before anybody asks. Default false: with the first request. */
  readonly streamed?: boolean;
  /** How long each page takes before any of it is sent. Default 0: it is sent at once. */
  readonly listMs?: number;
}

/** What happens to a collection while its server is away. */
export interface Absence {
  readonly downMs: number;
  readonly changed: number;
  readonly removed: number;
  /** The name of an object that is made. */
  readonly marker: string;
}

/**
 * One collection of an API server, as far as a list and a watch need one: pages, streamed lists,
 * watches from the newest resourceVersion. It has no history: any older one is answered with 410, so
 * that nobody misses an event. Any namespace has the same objects. What it sends is serialised before
 * it is asked for; see `World`.
 */
export class LoadServer {
  readonly #world: World;
  readonly #pattern: RegExp;
  readonly #server: Server;
  /** Each with its namespace. */
  readonly #watches = new Map<ServerResponse, string>();
  /** Watches that still get their initial events, and what came since: they get it after these. */
  readonly #beginning = new Map<ServerResponse, Buffer[]>();
  readonly #opened = new EventEmitter();
  readonly #tally = new Tally();
  readonly #listMs: number;
  #prepared: readonly Buffer[] = [];

  constructor({ profile, objects, streamed = false, listMs = 0 }: LoadServerOptions) {
    this.#listMs = listMs;
    this.#world = new World(profile, objects);
    this.#world.prepare({ streamed });
    this.#pattern = new RegExp(`^${pathOf(profile, '([^/]+)')}$`);
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      response.setHeader('content-type', 'application/json');
      void this.#answer(url, response);
    });
    this.#server.requestTimeout = 0;
    this.#server.on('connection', (socket) => socket.once('close', this.#tally.connected()));
  }

  /** What it has had to do since it began, or since `resetCounts`. */
  get counts(): Counts {
    return this.#tally.counts;
  }

  /** What it holds, in short: see `digestOf`. */
  get digest(): string {
    return this.#world.digest();
  }

  resetCounts(): void {
    this.#tally.reset();
  }

  /** @param port - 0 for any. @returns the port, of 127.0.0.1. */
  async listen(port = 0): Promise<number> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /**
   * Goes away with all connections, and is back on the same port after `downMs`: with another world, of
   * whose changes no watch will tell.
   */
  async restart({ downMs, changed, removed, marker }: Absence): Promise<void> {
    const { port } = this.#server.address() as AddressInfo;
    await this.close();
    this.#world.remove(removed);
    this.#world.burst({ events: changed + 1, keys: changed, marker });
    this.#world.prepare({ streamed: false });
    await after(downMs);
    await this.listen(port);
  }

  /** Makes the bytes of a burst. @returns how many. */
  prepare(burst: Burst): number {
    this.#prepared = this.#world.burst(burst);
    return this.#prepared.reduce((sum, { length }) => sum + length, 0);
  }

  /** Makes the bytes that tell of the end of all objects. @returns how many. */
  prepareDeletions(marker: string): number {
    this.#prepared = this.#world.deletions(marker);
    return this.#prepared.reduce((sum, { length }) => sum + length, 0);
  }

  /** Resolves when there are so many watches. */
  async watched(count = 1): Promise<void> {
    while (this.#watches.size < count) await once(this.#opened, 'watch');
  }

  /** Sends what was prepared to every watch, as fast as each reads. */
  async send(): Promise<void> {
    for (const held of this.#beginning.values()) held.push(...this.#prepared);
    await Promise.all([...this.#watches.keys()].map((watch) => pour(watch, this.#prepared)));
  }

  /**
   * Creates `rate` objects a second, one event each, named `at-` and the time of CLOCK_MONOTONIC in
   * nanoseconds, which all processes of a machine share; then the marker.
   */
  async trickle(rate: number, seconds: number, marker: string): Promise<void> {
    const added = this.#world.reserve(rate * seconds);
    const startedAt = process.hrtime.bigint();
    for (let event = 0; event < rate * seconds; event++) {
      const dueAt = startedAt + BigInt(Math.round((event * 1e9) / rate));
      const waitMs = Number(dueAt - process.hrtime.bigint()) / 1e6;
      if (waitMs > 0) await after(waitMs);
      this.#tell(Buffer.from(added(`at-${process.hrtime.bigint()}`)));
    }
    this.#tell(Buffer.from(this.#world.added(marker)));
  }

  /** One event of so many bytes, about a ConfigMap, in chunks that are read one by one. */
  async sendInChunks(bytes: number, chunkBytes: number, marker: string): Promise<void> {
    const event = Buffer.from(this.#world.added(marker, configMap('oversize', bytes)));
    for (let at = 0; at < event.length; at += chunkBytes) {
      this.#tell(event.subarray(at, at + chunkBytes));
      await after(CHUNK_GAP_MS);
    }
  }

  /**
   * A line without end for each watch of the namespace `endless`, until it is closed. The others are told
   * of new objects meanwhile, named as those of `trickle`, and of the marker when it is over.
   *
   * @throws Error when somebody reads `maxBytes` of it.
   */
  async sendEndlessLine(maxBytes: number, marker: string): Promise<void> {
    const victims = [...this.#watches].filter(([, namespace]) => namespace === ENDLESS_NAMESPACE);
    for (const [watch] of victims) this.#watches.delete(watch); // it is told nothing else
    const over = Promise.all(victims.map(([watch]) => endlessLine(watch, maxBytes)));
    let ended = false;
    const end = (): void => {
      ended = true;
    };
    void over.then(end, end);
    while (!ended) {
      this.#tell(Buffer.from(this.#world.added(`at-${process.hrtime.bigint()}`)));
      await after(BESIDE_MS);
    }
    await over;
    this.#tell(Buffer.from(this.#world.added(marker)));
  }

  /** Creates the marker, of which no watch tells: whoever would see it has to list again. */
  expire(marker: string, { streamed }: { readonly streamed: boolean }): void {
    this.#world.added(marker);
    this.#world.prepare({ streamed });
  }

  /** Ends every watch, as a server does that goes away. */
  cut(): void {
    for (const watch of [...this.#watches.keys()]) watch.end();
  }

  #tell(line: Buffer): void {
    for (const held of this.#beginning.values()) held.push(line);
    for (const watch of this.#watches.keys()) watch.write(line);
  }

  async #answer({ pathname, searchParams: query }: URL, response: ServerResponse): Promise<void> {
    const namespace = this.#pattern.exec(pathname)?.[1];
    if (namespace === undefined) {
      response.statusCode = 404;
      response.end(JSON.stringify(status(404, 'NotFound', 'nothing is served here')));
    } else if (['1', 'true'].includes(query.get('watch') ?? '')) {
      await this.#watch(namespace, query, response);
    } else {
      const page = { from: Number(query.get('continue')), limit: Number(query.get('limit')) };
      response.once('close', this.#tally.listing());
      if (this.#listMs > 0) await after(this.#listMs);
      await pour(response, this.#world.list(page));
      response.end();
    }
  }

  async #watch(namespace: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
    const streamed = query.get('sendInitialEvents') === 'true';
    const from = Number(query.get('resourceVersion'));
    if (!streamed && from > 0 && from < Number(this.#world.resourceVersion)) {
      const object = status(410, 'Expired', 'too old resource version');
      response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
      return;
    }
    response.flushHeaders();
    response.once('close', () => this.#watches.delete(response));
    if (streamed || from === 0) await this.#begin(response, { streamed });
    if (response.destroyed) return;
    this.#watches.set(response, namespace);
    this.#opened.emit('watch');
  }

  /** Sends all objects, then the bookmark of a streamed list, then what has come in the meantime. */
  async #begin(response: ServerResponse, { streamed }: { streamed: boolean }): Promise<void> {
    const held: Buffer[] = [];
    this.#beginning.set(response, held);
    try {
      const bookmark = streamed ? [this.#world.bookmark()] : [];
      await pour(response, [...this.#world.initialEvents(), ...bookmark]);
      while (held.length > 0) await pour(response, held.splice(0));
    } finally {
      this.#beginning.delete(response);
    }
  }
}

async function endlessLine(watch: ServerResponse, maxBytes: number): Promise<void> {
  const closed = new AbortController();
  watch.once('close', () => closed.abort());
  watch.write('{"type":"MODIFIED","object":{"metadata":{"name":"endless","text":"');
  for (let sent = 0; sent < maxBytes; sent += FILLER.length) {
    if (watch.destroyed || closed.signal.aborted) return;
    await pour(watch, [FILLER]);
  }
  if (!watch.destroyed) throw new Error(`somebody has read a line of ${maxBytes} bytes`);
}

function status(code: number, reason: string, message: string): object {
  const type = { kind: 'Status', apiVersion: 'v1', metadata: {} };
  return { ...type, status: 'Failure', message, reason, code };
}
