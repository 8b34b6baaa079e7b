import { ConfigurationError } from '../../core/errors.ts';
import { textFiles } from '../../core/text/text-files.ts';

/** A path that the gate passes to the operator. */
export interface GatePath {
  /** `/validate/names.websites.example.com`, `/convert`. Compared as it was sent, without a prefix. */
  readonly path: string;
  /** After that the gate answers 504 in the place of the operator. 1 to 30, as in the webhook's configuration. */
  readonly timeoutSeconds: number;
}

export interface GateConfigOptions {
  readonly paths: readonly GatePath[];
  /** Where the operator listens: `127.0.0.1:9440` (default), another address of loopback, or `unix:/path`. */
  readonly operator?: string;
  /** Addresses of the gate. Default `['[::]:9443']`, for IPv4 and IPv6. */
  readonly listen?: readonly string[];
}

/** The file in the ConfigMap, and its folder in the container. */
export const GATE_CONFIG_FILE = 'gate.conf';
export const GATE_CONFIG_FOLDER = '/etc/gate';

/** Where the container has `tls.crt` and `tls.key`, as the kubelet mounts them. */
export const GATE_TLS_FOLDER = '/tls';

/** Where an operator listens unless it is told otherwise. */
export const OPERATOR_ADDRESS = '127.0.0.1:9440';

/** The port of the gate in its Pod. */
export const GATE_PORT = 9443;

/** Path of the gate's own probe, which no webhook can have. */
export const GATE_PROBE = '/healthz';

const templates = textFiles(new URL('./', import.meta.url));

/** No encoding, no empty segment, no dots alone: nobody can read such a path in two ways. */
const PATH = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;

/** The gate ends TLS, and what follows is readable: it must stay in the Pod. */
const OPERATOR = /^(?:127\.0\.0\.1|\[::1\]|localhost):[1-9]\d{0,4}$|^unix:\/[A-Za-z0-9/._-]+$/;

const LISTEN = /^(?:\[[0-9a-f:]+\]|\d+(?:\.\d+){3}):[1-9]\d{0,4}$/;

/** How the API server writes `timeoutSeconds` into the query of its request. */
const QUERY = String.raw`(?:\?timeout=[0-9]{1,2}s)?`;

/**
 * The configuration of the gate: one file for nginx. The same paths in another order give the same text.
 *
 * The gate answers everything itself except for a `POST` of a declared path with at most 8 MiB of
 * `application/json`. Without paths it refuses everything but its probe.
 *
 * @throws ConfigurationError `CONFIG` for a path that could be read in two ways or is there twice, for a time
 *   limit outside of 1 to 30 s, and for an operator outside of the Pod.
 */
export function gateConfig({
  paths,
  operator = OPERATOR_ADDRESS,
  listen = [`[::]:${GATE_PORT}`],
}: GateConfigOptions): string {
  requireUsable(paths, operator, listen);
  const sorted = paths.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const blocks: Readonly<Record<string, string>> = {
    lines: sorted.map(({ path }) => linesOf(path)).join(''),
    listen: listen.map(listenLine).join(''),
    locations: sorted.map(locationOf).join(''),
  };
  return templates('gate.conf')
    .replace(/^( *)# \$\{(\w+)\}\n/gm, (_line, indent: string, name: string) =>
      (blocks[name] ?? '').replace(/^(?=.)/gm, indent),
    )
    .replace(/\$\{operator\}/g, () => operator);
}

/** What a configuration of the gate was made from; undefined for a text that `gateConfig` has not made. */
export function readGateConfig(text: string): Required<GateConfigOptions> | undefined {
  const location = /^ {8}location = (\S+) \{[^}]*?proxy_read_timeout (\d+)s;/gm;
  const options = {
    paths: [...text.matchAll(location)].map(([, path = '', seconds]) => ({
      path,
      timeoutSeconds: Number(seconds),
    })),
    operator: /^ {8}server (\S+);$/m.exec(text)?.[1] ?? '',
    listen: [...text.matchAll(/^ {8}listen (\S+) ssl/gm)].map(([, address = '']) => address),
  };
  try {
    return gateConfig(options) === text ? options : undefined;
  } catch {
    return undefined;
  }
}

/** The first line that matches decides: what the API server sends passes, other methods are told apart. */
function linesOf(path: string): string {
  const expression = path.replaceAll('.', String.raw`\.`);
  return [
    String.raw`"~^POST ${expression}${QUERY} HTTP/1\.1\z" review;`,
    String.raw`"~^(?!POST )[A-Z]+ ${expression}(?:\?[^ ]*)? HTTP/1\.[01]\z" method;`,
    '',
  ].join('\n');
}

function listenLine(address: string): string {
  return `listen ${address} ssl${address.startsWith('[::]') ? ' ipv6only=off' : ''};\n`;
}

function locationOf({ path, timeoutSeconds }: GatePath): string {
  return `location = ${path} {
    add_header Connection $gate_connection always;
    proxy_read_timeout ${timeoutSeconds}s;
    proxy_pass http://operator;
}
`;
}

function requireUsable(
  paths: readonly GatePath[],
  operator: string,
  listen: readonly string[],
): void {
  for (const [at, { path, timeoutSeconds }] of paths.entries()) {
    const wrong = problemOf(path, timeoutSeconds);
    if (wrong !== undefined) throw new ConfigurationError(`the gate cannot pass ${path}: ${wrong}`);
    if (paths.findIndex((other) => other.path === path) !== at) {
      throw new ConfigurationError(`two webhooks have the path ${path}: give them different names`);
    }
  }
  if (!OPERATOR.test(operator)) {
    throw new ConfigurationError(
      `the gate cannot pass reviews to ${operator}: name a port of loopback, such as 127.0.0.1:9440, or unix:/path`,
    );
  }
  const unusable = listen.find((address) => !LISTEN.test(address));
  if (unusable !== undefined || listen.length === 0) {
    throw new ConfigurationError(
      `the gate cannot listen on ${unusable ?? 'nothing'}: name an IP address and a port, such as [::]:${GATE_PORT}`,
    );
  }
}

function problemOf(path: string, timeoutSeconds: number): string | undefined {
  if (!PATH.test(path)) {
    return 'a path has segments of letters, digits, dots, "_" and "-", and none begins with a dot';
  }
  if (path === GATE_PROBE) return 'the gate answers its own probe there';
  const isLimit = Number.isInteger(timeoutSeconds) && timeoutSeconds >= 1 && timeoutSeconds <= 30;
  return isLimit ? undefined : `its time limit is ${timeoutSeconds}, not 1 to 30 seconds`;
}
