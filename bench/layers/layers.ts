/** What happens to the bytes of a watch, one layer more each time. */
import { isAscii } from 'node:buffer';
import type { WatchEvent } from '../../operator/model/entry.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { Cache } from '../../operator/store/cache.ts';
import type { Change } from '../../operator/store/change.ts';
import { ByteLines, decodeLine, scanEvent } from '../../operator/stream/decode.ts';

/** Handles the bytes of one read of a socket. */
export interface Layer {
  /** @returns the number of events that ended in the chunk. */
  take(chunk: Buffer): number;
}

interface LayerKind {
  /** What the layer does, as a row of a table. */
  readonly title: string;
  readonly open: () => Layer;
}

/** The layers, from the socket to the handler. */
export const LAYERS = {
  lines: {
    title: 'bytes are split into lines',
    open: () => ofLines(() => {}),
  },
  text: {
    title: 'each line becomes a string, which is dropped',
    open: () =>
      ofLines((line) => {
        read.characters += line.text().length;
      }),
  },
  parse: {
    title: 'each line is parsed and read, and dropped',
    open: () => ofLines((line) => readAll(line.object())),
  },
  'text-kept': {
    title: 'each line becomes a string, which is kept by key',
    open: () => {
      const kept = new Map<string, string>();
      return ofLines((line) => {
        const text = line.text();
        kept.set(keyIn(text), text);
      });
    },
  },
  'parse-kept': {
    title: 'each line is parsed and read, and the object is kept by key',
    open: () => {
      const kept = new Map<string, KubernetesObject>();
      return ofLines((line) => {
        const object = line.object();
        readAll(object);
        kept.set(`${object.metadata.namespace}/${object.metadata.name}`, object);
      });
    },
  },
  identity: {
    title: "the toolkit reads the object's identity from the bytes, and drops the entry",
    open: () =>
      ofEvents((events) => {
        read.characters += events.length;
      }),
  },
  cache: {
    title: "the toolkit's cache takes the entry, and a handler reads the key",
    open: () =>
      ofCache(({ key }) => {
        read.characters += key.length;
      }),
  },
  'cache-parse': {
    title: 'the same, and a handler reads the whole object',
    open: () => ofCache(({ object }) => readAll(object)),
  },
} as const satisfies Readonly<Record<string, LayerKind>>;

export type LayerName = keyof typeof LAYERS;

export const LAYER_NAMES: readonly LayerName[] = Object.keys(LAYERS) as LayerName[];

/** What the layers have read. It is printed at the end, so that no compiler omits the reading. */
export const read = { characters: 0 };

/** Reads what a handler of whole objects reads, like the subjects in `child.ts`. */
function readAll(object: KubernetesObject): void {
  for (const part of Object.values(object)) {
    if (typeof part !== 'object' || part === null) continue;
    for (const field in part) read.characters += field.length;
  }
  read.characters += object.metadata.name.length;
}

interface Line {
  text(): string;
  object(): KubernetesObject;
}

/** A bare splitter with the cheapest decoding that is correct: one check for a whole chunk of ASCII. */
function ofLines(onLine: (line: Line) => void): Layer {
  const lines = new ByteLines();
  return {
    take(chunk) {
      const isPlain = isAscii(chunk);
      let events = 0;
      lines.read(chunk, (bytes, from, to) => {
        events++;
        const encoding = isPlain && bytes === chunk ? 'latin1' : 'utf8';
        const text = (): string => bytes.toString(encoding, from, to);
        onLine({
          text,
          object: () => (JSON.parse(text()) as { readonly object: KubernetesObject }).object,
        });
      });
      return events;
    },
  };
}

const OPTIONS = { dropManagedFields: true };

function ofEvents(onEvents: (events: readonly WatchEvent[]) => void): Layer {
  const lines = new ByteLines();
  return {
    take(chunk) {
      const events: WatchEvent[] = [];
      lines.read(chunk, (bytes, from, to) => {
        const scanned = scanEvent(bytes, from, to, OPTIONS);
        const event = scanned ?? decodeLine(bytes.toString('utf8', from, to), OPTIONS);
        if (event === undefined || event === 'foreign') throw new Error('a line was omitted');
        events.push(event);
      });
      onEvents(events);
      return events.length;
    },
  };
}

function ofCache(onChange: (change: Change) => void): Layer {
  const cache = new Cache();
  return ofEvents((events) => {
    const changes = cache.applyAll(events);
    if (changes.length !== events.length) throw new Error('the cache has ignored an event');
    for (const change of changes) onChange(change);
    for (const { entry } of changes) entry.release();
  });
}

const NAME = '"name":"';

/** The name in a line, without parsing it. */
function keyIn(text: string): string {
  const from = text.indexOf(NAME) + NAME.length;
  return text.slice(from, text.indexOf('"', from));
}
