import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { type GateProcess, SERVICE } from './gate-process.ts';

/** The paths that `gate/hostile-requests.txt` takes for declared. */
export const DECLARED = [
  { path: '/validate/names.websites.example.com', timeoutSeconds: 10 },
  { path: '/mutate/defaults.websites.example.com', timeoutSeconds: 10 },
  { path: '/convert', timeoutSeconds: 30 },
] as const;

/** Each line of `gate/hostile-requests.txt`. */
export const HOSTILE: readonly string[] = readFileSync(
  new URL('../../../gate/hostile-requests.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

const BODY = '{}';

const USUAL: Readonly<Record<string, string>> = {
  host: `${SERVICE}:443`,
  'content-type': 'application/json',
  'content-length': String(BODY.length),
};

/** The bytes of a line of the list, with what the API server would send around it. */
export function bytesOf(line: string): string {
  const [first = '', ...changes] = line.split(' | ');
  const headers = { ...USUAL };
  for (const change of changes) {
    const [, removed] = /^-(.*)$/.exec(change) ?? [];
    const [name = '', value = ''] = change.split(/: (.*)/s);
    if (removed !== undefined) delete headers[removed];
    else headers[name] = value;
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[first, ...lines].join('\r\n')}\r\n\r\n${BODY}`;
}

/**
 * Sends bytes over TLS and closes. Resolves to the status of the answer, to 0 where the gate closes without one or
 * answers without a status line.
 */
export async function sendBytes(gate: GateProcess, bytes: string): Promise<number> {
  const socket = connect({
    host: '127.0.0.1',
    port: gate.port,
    ca: gate.authority.certificate,
    servername: SERVICE,
  });
  await once(socket, 'secureConnect');
  socket.write(bytes, 'latin1');
  let answer = '';
  try {
    for await (const chunk of socket.setEncoding('latin1')) {
      answer += chunk;
      if (answer.includes('\r\n')) break;
    }
  } catch {
    // A reset is one way to refuse.
  }
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0);
}
