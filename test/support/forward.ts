import { request as send } from 'node:http';
import type { Reply } from '@chancery/testing';

/** A reply that asks the API server at `url`, and passes its answer on as it comes. */
export function forwardTo(url: string): Reply {
  return ({ request, response, signal }) =>
    new Promise((resolve, reject) => {
      const onward = send(new URL(pathOf(request), url), {
        method: request.method,
        headers: { ...request.headers, host: new URL(url).host } as Record<string, string>,
        signal,
      });
      onward.on('error', (error) => (signal.aborted ? resolve() : reject(error)));
      onward.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        response.flushHeaders();
        answer.on('error', () => response.destroy());
        answer.pipe(response);
        answer.on('end', resolve);
      });
      onward.end(request.body);
    });
}

/** The API server at `url` carries the request out; what the client is told is `reply`. */
export function carriedOut(url: string, reply: Reply): Reply {
  return async (exchange) => {
    const { request } = exchange;
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
    const method = request.method;
    const answer = await fetch(new URL(pathOf(request), url), {
      method,
      headers,
      body: request.body,
    });
    await answer.arrayBuffer();
    await reply(exchange);
  };
}

function pathOf({
  path,
  query,
}: {
  path: string;
  query: Readonly<Record<string, string>>;
}): string {
  return `${path}?${new URLSearchParams(query)}`;
}
