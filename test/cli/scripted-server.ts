import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { configMap } from './printed.ts';

export type Answer = (response: ServerResponse) => void;

/** Answers what a path stands for by itself; lists and watches with the answers in turn, the last one for ever. */
export async function scriptedServer(script: {
  readonly lists: readonly Answer[];
  readonly watches: readonly Answer[];
}): Promise<{ readonly url: string; readonly watches: readonly URL[] }> {
  const [lists, watchAnswers] = [[...script.lists], [...script.watches]];
  const watches: URL[] = [];
  const next = (answers: Answer[]): Answer | undefined =>
    answers.length > 1 ? answers.shift() : answers[0];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://x');
    if (url.searchParams.get('limit') === '1') return listOf('1')(response);
    if (!url.searchParams.has('watch')) return next(lists)?.(response);
    watches.push(url);
    return next(watchAnswers)?.(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, watches };
}

export const PATH = '/api/v1/namespaces/demo/configmaps';

export const json =
  (status: number, body: object, pretty = false): Answer =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(body, null, pretty ? 2 : 0));

export const text =
  (status: number, body: string): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(body);

/** Lines of a watch that stays open. */
export const stream =
  (...lines: readonly (object | string)[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    for (const line of lines) {
      response.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
    }
  };

export const listOf = (resourceVersion: string, ...items: readonly object[]): Answer =>
  json(200, { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion }, items });

export const object = (name: string, resourceVersion: string, data = 'x') => ({
  ...configMap(name, { k: data }),
  metadata: { name, namespace: 'demo', uid: `uid-${name}`, resourceVersion },
});
