import type { KubernetesObject } from 'chancery';
import { onTestFinished } from 'vitest';
import { ApiServer, type ApiServerOptions } from '../../../src/apiserver/api-server.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The decoded JSON, with anything in it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads into a body that it asserts about
  readonly body: any;
}

/** A server for one test, and requests to it. */
export interface TestCluster {
  readonly server: ApiServer;
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

/** Starts a server that the test's end closes. */
export async function startCluster(options: ApiServerOptions = {}): Promise<TestCluster> {
  const server = await ApiServer.start(options);
  onTestFinished(() => server.close());
  return { server, send: (...request) => send(server, ...request) };
}

async function send(
  { url }: ApiServer,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': contentType(method) }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: decoded(text) };
}

function contentType(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Path of the ConfigMaps of `default`, where most tests play. */
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

export function configMap(
  name: string,
  metadata: object = {},
  data: object = { k: 'v' },
): KubernetesObject & { readonly data: object } {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', ...metadata },
    data,
  };
}
