/**
 * The hooks of `metacontroller.ts`, in a process of its own, as webhooks of users are. It says where it is, and
 * answers each message with what it was asked.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** Where the hooks are. */
export interface Hooking {
  readonly url: string;
}

export interface CalledQuestion {
  /** Counts begin anew. */
  readonly forget: boolean;
}

/** What the hooks were asked. */
export interface Called {
  readonly calls: number;
  /** Of the parent with the most calls. */
  readonly most: number;
  /** Parents that were called for. */
  readonly parents: number;
  /** Of the longest request. */
  readonly mostBytes: number;
}

interface Request {
  readonly parent: {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly children: number; readonly bytes: number; readonly version: string };
  };
  readonly children: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

let calls = new Map<string, number>();
let mostBytes = 0;

const server = createServer(async (request, response) => {
  const asked = (await json(request)) as Request;
  const { name } = asked.parent.metadata;
  calls.set(name, (calls.get(name) ?? 0) + 1);
  mostBytes = Math.max(mostBytes, Number(request.headers['content-length'] ?? 0));
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(request.url === '/row' ? planted(asked) : train(asked)));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const hooking: Hooking = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
process.send?.(hooking);

process.on('message', ({ forget }: CalledQuestion) => {
  const counts = [...calls.values()];
  const called: Called = {
    calls: counts.reduce((sum, count) => sum + count, 0),
    most: Math.max(0, ...counts),
    parents: counts.length,
    mostBytes,
  };
  if (forget) {
    calls = new Map();
    mostBytes = 0;
  }
  process.send?.(called);
});

/** The version is in the first child alone. The status follows what is observed, so it takes a call more. */
function planted({ parent, children }: Request): object {
  const { children: wanted, bytes, version } = parent.spec;
  const { name } = parent.metadata;
  const observed = Object.keys(children['ConfigMap.v1'] ?? {}).length;
  return {
    status: { planted: observed === wanted },
    children: Array.from({ length: wanted }, (_, at) =>
      configMap(`${name}-${at}`, {
        version: at === 0 ? version : 'any',
        content: 'x'.repeat(bytes),
      }),
    ),
  };
}

/** The version is in every child. */
function train({ parent }: Request): object {
  const { children: wanted, version } = parent.spec;
  const { name } = parent.metadata;
  const children = Array.from({ length: wanted }, (_, at) =>
    configMap(`${name}-${at}`, { version }),
  );
  return { status: {}, children };
}

function configMap(name: string, data: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}
