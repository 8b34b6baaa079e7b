import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { AdminEndpoint } from '../../src/admin/admin-endpoint.ts';
import type { ApiServerOptions } from '../../src/apiserver/api-server.ts';
import { MovableClock } from '../../src/time/movable-clock.ts';
import { startCluster, type TestCluster } from '../apiserver/support/cluster.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The decoded JSON, with anything in it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads into a body that it asserts about
  readonly body: any;
}

/** A server with its admin endpoint. */
export interface AdministeredCluster extends TestCluster {
  readonly url: string;
  readonly clock: MovableClock;
  /** @param body - a text is sent as it is. */
  ask(method: string, path: string, body?: unknown, headers?: object): Promise<Answer>;
}

/** Starts both; the test's end closes them. */
export async function startAdministered(
  options: ApiServerOptions = {},
): Promise<AdministeredCluster> {
  const clock = new MovableClock();
  const cluster = await startCluster({ clock, ...options });
  const admin = await AdminEndpoint.start(cluster.server, { clock });
  onTestFinished(() => admin.close());
  return { ...cluster, clock, url: admin.url, ask: (...given) => ask(admin.url, ...given) };
}

/** By Node's own client: `fetch` sets Host and Origin itself. */
function ask(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: object = {},
): Promise<Answer> {
  const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, { method, headers: { ...headers } }, (response) => {
      text(response).then((answer) => {
        const { statusCode: status = 0 } = response;
        resolve({ status, headers: response.headers, text: answer, body: decoded(answer) });
      }, reject);
    });
    call.on('error', reject);
    call.end(sent);
  });
}

function decoded(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}
