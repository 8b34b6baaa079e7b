import { Items } from './items.ts';
import { apiVersionOf, type Profile } from './profile.ts';
import { digestOf, type ObjectState } from './state.ts';

/** The first resourceVersion: ten digits, so that all of them are equally long. */
const FIRST_VERSION = 1_000_000_000;
/** What is given to a socket at once: enough that the socket, not our loop, sets the pace. */
const BLOCK_CHARACTERS = 1 << 20;
/** Stands wherever the resourceVersion comes, in text that is made once for each object. */
const MARK = '@resourceVersion@';
/** Stands where the name comes, in objects whose name is known when they are sent. */
const NAME_MARK = '@name@';

/** A page as a client asks for it: `limit` 0 is all that is left. */
export interface Page {
  readonly from: number;
  readonly limit: number;
}

export interface Burst {
  readonly events: number;
  /** The events go round the first so many objects. */
  readonly keys: number;
  /** The name of a new object, whose creation is the last event. */
  readonly marker: string;
}

interface Entry {
  /** What lies between the places of the resourceVersion. */
  parts: readonly string[];
  version: number;
}

/**
 * A collection, and what happens to it, as bytes that are there before anybody asks for them. Lists
 * always show what the events have told.
 */
export class World {
  readonly #profile: Profile;
  readonly #entries: Entry[];
  /** How many there have ever been: no two objects have one uid. */
  #made = 0;
  #version: number = FIRST_VERSION;
  #items: Items | undefined;
  #initial: readonly Buffer[] | undefined;

  constructor(profile: Profile, objects: number) {
    this.#profile = profile;
    const prefix = profile.plural.slice(0, -1);
    this.#entries = Array.from({ length: objects }, (_, index) =>
      this.#entryOf(`${prefix}-${index}`),
    );
  }

  get resourceVersion(): string {
    return String(this.#version);
  }

  /** Serialises what a list would answer, and the streamed list if there may be one. */
  prepare({ streamed }: { readonly streamed: boolean }): void {
    this.#items ??= new Items(this.#entries.map(textOf));
    if (streamed) this.#initial ??= blocks(this.#entries.map((entry) => line('ADDED', entry)));
  }

  /** The parts of one page's answer, in order. */
  list({ from, limit }: Page): readonly Buffer[] {
    this.prepare({ streamed: false });
    const items = this.#items ?? new Items([]);
    const until = limit === 0 ? items.count : Math.min(from + limit, items.count);
    const remaining = items.count - until;
    const metadata = {
      resourceVersion: this.resourceVersion,
      ...(remaining > 0 && { continue: String(until), remainingItemCount: remaining }),
    };
    const type = { kind: `${this.#profile.kind}List`, apiVersion: apiVersionOf(this.#profile) };
    const head = JSON.stringify({ ...type, metadata }).slice(0, -1);
    return [Buffer.from(`${head},"items":[`), items.slice(from, until), Buffer.from(']}\n')];
  }

  /** All objects as ADDED events. */
  initialEvents(): readonly Buffer[] {
    this.prepare({ streamed: true });
    return this.#initial ?? [];
  }

  /** Ends the initial events of a streamed list. */
  bookmark(): Buffer {
    const metadata = {
      resourceVersion: this.resourceVersion,
      creationTimestamp: null,
      annotations: { 'k8s.io/initial-events-end': 'true' },
    };
    const type = { kind: this.#profile.kind, apiVersion: apiVersionOf(this.#profile) };
    return Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object: { ...type, metadata } })}\n`);
  }

  /** MODIFIED events of the first objects in turn, and then the marker. */
  burst({ events, keys, marker }: Burst): readonly Buffer[] {
    return blocks(this.burstLines({ events, keys, marker }));
  }

  /** The same, line by line: each ends with a line feed. */
  *burstLines({ events, keys, marker }: Burst): Generator<string, void, undefined> {
    const round = this.#entries.slice(0, keys);
    for (let event = 0; event < events - 1; event++) {
      const entry = round[event % round.length];
      if (entry !== undefined) yield this.#changed(entry);
    }
    yield this.added(marker);
  }

  /** DELETED events of all objects, in the order of the list, and then the marker: the only one left. */
  deletions(marker: string): readonly Buffer[] {
    return blocks(this.#deletionLines(marker));
  }

  *#deletionLines(marker: string): Generator<string, void, undefined> {
    for (const entry of this.#entries.splice(0)) {
      entry.version = ++this.#version;
      yield line('DELETED', entry);
    }
    yield this.added(marker);
  }

  /** The event that tells of a new object. */
  added(name: string, profile: Profile = this.#profile): string {
    const entry = this.#entryOf(name, profile);
    this.#entries.push(entry);
    this.#forget();
    return line('ADDED', entry);
  }

  /** Deletes so many objects, the first ones, of which no event tells. */
  remove(count: number): void {
    this.#version += this.#entries.splice(0, count).length;
    this.#forget();
  }

  /** What it holds, in short: see `digestOf`. */
  digest(): string {
    return digestOf(this.#entries.map(stateOf));
  }

  /**
   * Serialises so many objects but for their names. Each call of what is returned is one event about
   * one of them, in no more time than a name takes to be put in.
   */
  reserve(count: number): (name: string) => string {
    const reserved = Array.from({ length: count }, () => this.#entryOf(NAME_MARK)).values();
    return (name) => {
      const { value: entry } = reserved.next();
      if (entry === undefined) throw new Error(`only ${count} objects were reserved`);
      entry.parts = entry.parts.map((part) => part.replace(NAME_MARK, name));
      entry.version = ++this.#version;
      this.#entries.push(entry);
      this.#forget();
      return line('ADDED', entry);
    };
  }

  /** What has been serialised is forgotten with the marker, which ends every burst. */
  #changed(entry: Entry): string {
    entry.version = ++this.#version;
    return line('MODIFIED', entry);
  }

  #entryOf(name: string, profile: Profile = this.#profile): Entry {
    const text = JSON.stringify(profile.object(this.#made++, name, MARK));
    return { parts: text.split(MARK), version: ++this.#version };
  }

  #forget(): void {
    this.#items = undefined;
    this.#initial = undefined;
  }
}

function textOf({ parts, version }: Entry): string {
  return parts.join(String(version));
}

function stateOf(entry: Entry): ObjectState {
  return (JSON.parse(textOf(entry)) as { readonly metadata: ObjectState }).metadata;
}

function line(type: 'ADDED' | 'MODIFIED' | 'DELETED', entry: Entry): string {
  return `{"type":"${type}","object":${textOf(entry)}}\n`;
}

function blocks(lines: Iterable<string>): readonly Buffer[] {
  const made: Buffer[] = [];
  let held: string[] = [];
  let characters = 0;
  for (const text of lines) {
    held.push(text);
    characters += text.length;
    if (characters < BLOCK_CHARACTERS) continue;
    made.push(Buffer.from(held.join('')));
    held = [];
    characters = 0;
  }
  if (held.length > 0) made.push(Buffer.from(held.join('')));
  return made;
}
