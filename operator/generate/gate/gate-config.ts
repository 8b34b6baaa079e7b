import { ConfigurationError } from '../../core/errors.ts';
import { textFiles } from '../../core/text/text-files.ts';

/** A path that the gate passes to the operator. */
export interface GatePath {
  /**
   * The path, such as `/validate/names.websites.example.com` or `/convert`. The gate forwards only
   * requests with exactly this path, and does not change the path.
   */
  readonly path: string;
  /**
   * Seconds after which the gate answers 504 instead of waiting for the operator. The range is 1 to
   * 30, as in the configuration of a webhook.
   */
  readonly timeoutSeconds: number;
}

export interface GateConfigOptions {
  readonly paths: readonly GatePath[];
  /**
   * The address of the operator: `127.0.0.1:9440` (default), another loopback address, or
   * `unix:/path`.
   */
  readonly operator?: string;
  /** Addresses of the gate. Default `['[::]:9443']`, for IPv4 and IPv6. */
  readonly listen?: readonly string[];
  /** The server for metrics. Default: none. */
  readonly metrics?: GateMetrics;
}

/**
 * A second server of the gate, for metrics. It forwards scrapes only if the client has a
 * certificate.
 */
export interface GateMetrics {
  /**
   * The address of the operator's metrics: `127.0.0.1:8080` (default), or another loopback address.
   */
  readonly operator?: string;
  /** Addresses of the gate. Default `['[::]:9444']`, for IPv4 and IPv6. */
  readonly listen?: readonly string[];
}

/** Name of the configuration file in the ConfigMap, and its folder in the container. */
export const GATE_CONFIG_FILE = 'gate.conf';
export const GATE_CONFIG_FOLDER = '/etc/gate';

/** The folder in the container with `tls.crt` and `tls.key`, which the kubelet mounts. */
export const GATE_TLS_FOLDER = '/tls';

/**
 * The folder in the container with the certificate authorities of clients that may read metrics,
 * and the file in this folder.
 */
export const METRICS_CLIENTS_FOLDER = '/metrics-clients';
export const METRICS_CLIENTS_FILE = 'ca.crt';

/** The default address on which an operator listens. */
export const OPERATOR_ADDRESS = '127.0.0.1:9440';

/** The address on which an operator behind the gate serves its metrics. */
const METRICS_ADDRESS = '127.0.0.1:8080';

/** The port of the gate in its Pod. */
export const GATE_PORT = 9443;

/** The port of the gate for metrics. */
export const GATE_METRICS_PORT = 9444;

/** Path at which the gate answers its own probes. No webhook can have this path. */
export const GATE_PROBE = '/healthz';

const templates = textFiles(new URL('./', import.meta.url));

/**
 * Matches a path without encoded characters, empty segments, and segments that consist only of
 * dots. Such a path can be read in only one way.
 */
const PATH = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;

/**
 * Matches addresses within the Pod. The gate terminates TLS, so the traffic behind it is readable and must
 * stay in the Pod.
 */
const OPERATOR = /^(?:127\.0\.0\.1|\[::1\]|localhost):[1-9]\d{0,4}$|^unix:\/[A-Za-z0-9/._-]+$/;

/** Matches addresses within the Pod for metrics, which cannot be served on a unix socket. */
const METRICS = /^(?:127\.0\.0\.1|\[::1\]|localhost):[1-9]\d{0,4}$/;

const LISTEN = /^(?:\[[0-9a-f:]+\]|\d+(?:\.\d+){3}):[1-9]\d{0,4}$/;

/** Matches the query with `timeoutSeconds`, as the API server writes it. */
const QUERY = String.raw`(?:\?timeout=[0-9]{1,2}s)?`;

/**
 * The configuration of the gate: the content of one file for nginx. It does not depend on the order
 * of `paths`.
 *
 * The gate forwards only a `POST` to a declared path with at most 8 MiB of `application/json`. It
 * answers all other requests itself. Without paths, it refuses all requests except its probe. On
 * the address of `metrics` it forwards only `GET` and `HEAD` of `/metrics`, and only for clients
 * with a certificate.
 *
 * @throws ConfigurationError `CONFIG` for a path that can be read in several ways or occurs twice,
 * for a time limit outside of 1 to 30 s, and for an operator outside of the Pod.
 */
export function gateConfig({
  paths,
  operator = OPERATOR_ADDRESS,
  listen = [`[::]:${GATE_PORT}`],
  metrics,
}: GateConfigOptions): string {
  requireUsable(paths, operator, listen);
  const sorted = paths.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return filled(
    'gate.conf',
    {
      lines: sorted.map(({ path }) => linesOf(path)).join(''),
      listen: listen.map(listenLine).join(''),
      locations: sorted.map(locationOf).join(''),
      metrics: metrics === undefined ? '' : metricsServer(metrics),
    },
    { operator },
  );
}

/** The lines of the server for metrics. */
function metricsServer({
  operator = METRICS_ADDRESS,
  listen = [`[::]:${GATE_METRICS_PORT}`],
}: GateMetrics): string {
  if (!METRICS.test(operator)) {
    throw new ConfigurationError(
      `the gate cannot pass scrapes to ${operator}: name a port of loopback, such as ${METRICS_ADDRESS}`,
    );
  }
  requireListening(listen, GATE_METRICS_PORT);
  return filled(
    'metrics.conf',
    { listen: listen.map(listenLine).join('') },
    { operator, authorities: `${METRICS_CLIENTS_FOLDER}/${METRICS_CLIENTS_FILE}` },
  );
}

type Texts = Readonly<Record<string, string>>;

/**
 * Fills a template. A line `# ${name}` is replaced with the lines of that name, at the same
 * indentation, and every other `${name}` with a value.
 */
function filled(file: string, lines: Texts, values: Texts): string {
  return templates(file)
    .replace(/^( *)# \$\{(\w+)\}\n/gm, (_line, indent: string, name: string) =>
      (lines[name] ?? '').replace(/^(?=.)/gm, indent),
    )
    .replace(/\$\{(\w+)\}/g, (_text, name: string) => values[name] ?? '');
}

/** The options of a configuration, with their defaults. */
export type ReadGateConfig = Required<Omit<GateConfigOptions, 'metrics'>> & {
  readonly metrics?: Required<GateMetrics>;
};

/**
 * The options from which a configuration was made. Undefined for a text that `gateConfig` did not
 * make.
 */
export function readGateConfig(text: string): ReadGateConfig | undefined {
  const [, reviews = '', scrapes] = text.split(/^ {4}server \{$/m);
  const location = /^ {8}location = (\S+) \{[^}]*?proxy_read_timeout (\d+)s;/gm;
  const options = {
    paths: [...text.matchAll(location)].map(([, path = '', seconds]) => ({
      path,
      timeoutSeconds: Number(seconds),
    })),
    operator: /^ {8}server (\S+);$/m.exec(text)?.[1] ?? '',
    listen: listensIn(reviews),
    ...(scrapes !== undefined && {
      metrics: {
        operator: /^ {12}proxy_pass http:\/\/(\S+);$/m.exec(scrapes)?.[1] ?? '',
        listen: listensIn(scrapes),
      },
    }),
  };
  try {
    return gateConfig(options) === text ? options : undefined;
  } catch {
    return undefined;
  }
}

function listensIn(server: string): readonly string[] {
  return [...server.matchAll(/^ {8}listen (\S+) ssl/gm)].map(([, address = '']) => address);
}

/**
 * The lines of the configuration for one path. nginx uses the first line that matches. The first
 * line matches the requests of the API server, which are forwarded. The second line matches all
 * other methods.
 */
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
  requireListening(listen, GATE_PORT);
}

function requireListening(listen: readonly string[], port: number): void {
  const unusable = listen.find((address) => !LISTEN.test(address));
  if (unusable === undefined && listen.length > 0) return;
  throw new ConfigurationError(
    `the gate cannot listen on ${unusable ?? 'nothing'}: name an IP address and a port, such as [::]:${port}`,
  );
}

function problemOf(path: string, timeoutSeconds: number): string | undefined {
  if (!PATH.test(path)) {
    return 'a path has segments of letters, digits, dots, "_" and "-", and none begins with a dot';
  }
  if (path === GATE_PROBE) return 'the gate answers its own probe there';
  const isLimit = Number.isInteger(timeoutSeconds) && timeoutSeconds >= 1 && timeoutSeconds <= 30;
  return isLimit ? undefined : `its time limit is ${timeoutSeconds}, not 1 to 30 seconds`;
}
