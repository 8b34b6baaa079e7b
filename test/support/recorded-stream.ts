import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';

/** One exchange with a real API server, through a real `kubectl proxy`. */
export interface RecordedExchange {
  readonly id: number;
  /** When the request was sent, in milliseconds since the recording began. */
  readonly at: number;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** A unary answer. */
    readonly body?: string;
    /** How long the body was, where it was too long to keep. */
    readonly omitted?: number;
    /** A watch: the bytes as they arrived. */
    readonly chunks?: readonly { readonly at: number; readonly data: string }[];
    readonly end?: {
      readonly at: number;
      readonly how: 'eof' | 'reset' | 'client closed' | 'open';
    };
  };
}

/** Every exchange of `test/recordings/<name>.jsonl`, in the order in which they were sent. */
export function recording(name: string): readonly RecordedExchange[] {
  return readRecording(new URL(`../recordings/${name}.jsonl`, import.meta.url));
}

/** @throws TypeError with the file and the line that is no exchange. */
export function readRecording(file: string | URL): readonly RecordedExchange[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line, index) => {
    try {
      const exchange = JSON.parse(line) as RecordedExchange;
      if (typeof exchange.request.path === 'string' && exchange.response.status > 0)
        return exchange;
    } catch {}
    throw new TypeError(`${file}, line ${index + 1} is no exchange with a request and a response`);
  });
}

/** One exchange of a recording. */
export function recordedExchange(name: string, id: number): RecordedExchange {
  const exchange = recording(name).find((candidate) => candidate.id === id);
  if (exchange === undefined) throw new Error(`${name} has no exchange ${id}`);
  return exchange;
}

/** The watches of a recording. */
export function recordedWatches(name: string): readonly RecordedExchange[] {
  return recording(name).filter(({ response }) => response.chunks !== undefined);
}

/** Everything that a recorded watch delivered. */
export function watchText({ response }: RecordedExchange): string {
  return (response.chunks ?? []).map(({ data }) => data).join('');
}

/**
 * `text` as a response body, cut every `chunkBytes` bytes, so that the ends of lines and of characters
 * fall in the worst places.
 */
export function cutStream(text: string, chunkBytes: number): Readable {
  return Readable.from(chunksOf(Buffer.from(text), chunkBytes), { objectMode: false });
}

function* chunksOf(bytes: Buffer, size: number): Generator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Everything that an iterable yields, and what it throws in the end. */
export async function collect<T>(
  source: AsyncIterable<T>,
): Promise<{ items: readonly T[]; error: unknown }> {
  const items: T[] = [];
  try {
    for await (const item of source) items.push(item);
    return { items, error: undefined };
  } catch (error) {
    return { items, error };
  }
}
