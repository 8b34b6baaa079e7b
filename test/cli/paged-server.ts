import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';

/** A ConfigMap as a test changes it. */
export interface Stored {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

/** What is asked for in a list. */
export interface PageQuery {
  readonly limit: number;
  /** The index of its first object. */
  readonly from: number;
}

/**
 * A server of one collection, in pages, whose watches are answered by the test. Any path is served.
 *
 * @param before - called before each page; an answer of its own replaces the page.
 */
export async function pagedServer(
  objects: Stored[],
  before: (
    query: PageQuery,
  ) => { readonly code: number; readonly reason: string } | undefined = () => undefined,
) {
  const pages: PageQuery[] = [];
  const watches: ServerResponse[] = [];
  let openedCount = 0;
  let version = 100;
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://x');
    response.setHeader('content-type', 'application/json');
    if (searchParams.has('watch')) {
      openedCount++;
      watches.push(response);
      response.flushHeaders();
      return;
    }
    const query = {
      limit: Number(searchParams.get('limit')),
      from: Number(searchParams.get('continue')),
    };
    const isLookUp = query.limit === 1 && pages.length === 0; // of the path, before the first list
    if (!isLookUp) pages.push(query);
    const refusal = before(query);
    if (refusal !== undefined) {
      const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
      response.writeHead(refusal.code).end(JSON.stringify({ ...status, ...refusal }));
      return;
    }
    const until = query.limit === 0 ? objects.length : query.from + query.limit;
    const metadata = {
      resourceVersion: String(version),
      ...(until < objects.length && { continue: String(until) }),
    };
    const items = objects.slice(query.from, until);
    const list = { kind: 'ConfigMapList', apiVersion: 'v1', metadata, items };
    response.end(JSON.stringify(list));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The pages that were asked for, in order. */
    pages,
    /** Resolves when so many watches have been opened: everything that was listed is printed. */
    opened: (count: number): Promise<unknown> =>
      vi.waitUntil(() => openedCount >= count, { interval: 5, timeout: 20_000 }),
    tell(type: string, object: object): void {
      for (const watch of watches) watch.write(`${JSON.stringify({ type, object })}\n`);
    },
    /** Ends every watch with 410: the collection is listed again. */
    expire(): void {
      version++;
      const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure' };
      const object = { ...status, code: 410, reason: 'Expired' };
      for (const watch of watches.splice(0)) {
        watch.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
      }
    },
  };
}
