import { onTestFinished } from 'vitest';
import type { TestCluster } from './cluster.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads into an event that it asserts about
export type Line = { readonly type: string; readonly object: any };

/** An open watch whose lines a test takes one after the other. */
export interface Watched {
  readonly status: number;
  /** The next line; undefined when the server has ended the watch. */
  next(): Promise<Line | undefined>;
  /** The next `count` lines. */
  take(count: number): Promise<readonly Line[]>;
  /** All lines until the server ends the watch. */
  rest(): Promise<readonly Line[]>;
}

/** Opens a watch that the test's end closes. */
export async function watch(
  { server }: TestCluster,
  path: string,
  headers: Record<string, string> = {},
): Promise<Watched> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await fetch(server.url + path, {
    headers: { accept: 'application/json', ...headers },
    signal: abort.signal,
  });
  const lines = linesOf(response);
  const next = async (): Promise<Line | undefined> => {
    const { value, done } = await lines.next();
    return done ? undefined : value;
  };
  const take = async (count: number): Promise<readonly Line[]> => {
    const taken: Line[] = [];
    while (taken.length < count) {
      const line = await next();
      if (line === undefined) break;
      taken.push(line);
    }
    return taken;
  };
  return { status: response.status, next, take, rest: () => take(Number.POSITIVE_INFINITY) };
}

async function* linesOf(response: Response): AsyncGenerator<Line, undefined, undefined> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      yield JSON.parse(text.slice(0, end)) as Line;
      text = text.slice(end + 1);
    }
  }
}

/** What an event is about, in one line. */
export function summary({ type, object }: Line): string {
  return [type, object.metadata.name ?? object.metadata.resourceVersion].join(' ');
}
