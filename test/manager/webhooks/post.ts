import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request to the server of webhooks. */
export interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

/** The answer to a request. */
export interface Got {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
}

/** Sends one review as a gate does, at `address`: `http://127.0.0.1:9440` or `unix:/path.sock`. */
export async function post(
  address: string,
  body: string | Buffer,
  { path = '/validate/colours.shop.example.com', method = 'POST', headers = {}, agent }: Sent = {},
): Promise<Got> {
  const socketPath = /^unix:(.*)$/.exec(address)?.[1];
  const { hostname, port } =
    socketPath === undefined ? new URL(address) : { hostname: '', port: '' };
  const place = socketPath === undefined ? { host: hostname, port } : { socketPath };
  const sent = request({
    ...place,
    path,
    method,
    headers: { 'content-type': 'application/json', ...headers },
    agent: agent ?? new Agent(),
  });
  sent.on('error', () => {}); // one after the answer has come, because the server reads no further
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode: status = 0, headers: answered } = response;
  return { status, text: await text(response), headers: answered };
}
