import type { CrdWait } from '../../controller/run/settled-sources.ts';
import { isDnsLabel } from '../../model/dns-name.ts';
import { MIN_RELIST_INTERVAL_MS, type ReflectorSettings } from '../../watch/reflector-options.ts';
import { HTTP_HOSTS, httpHosts } from './accepted-host.ts';
import {
  LEADER_ELECTION_ENVIRONMENT,
  type LeaderElectionSettings,
  leaderElectionFrom,
} from './leader-election.ts';
import { RECORD_ENVIRONMENT, type RecordSettings, recordFrom } from './record.ts';
import { SHARDING_ENVIRONMENT, type ShardingSettings, shardingFrom } from './sharding.ts';
import { flag, oneOf, type ReadSetting, unusable, wholeNumber } from './text.ts';
import { type ListenAddress, WEBHOOK_LISTEN, webhookListen } from './webhook-listen.ts';

/** The settings of a manager. All of them come from the environment. */
export interface Settings {
  /** Address of the ambassador: `http://127.0.0.1:8001` or `unix:/path.sock`. */
  readonly apiUrl: string;
  /** Namespaces that sources watch by default, without duplicates; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /** The first of `namespaces`; undefined for all namespaces. */
  readonly namespace: string | undefined;
  /** Namespace of the operator's own Pod. */
  readonly podNamespace: string | undefined;
  /** Name of the operator's own Pod. */
  readonly podName: string | undefined;
  /** Port of `/healthz` and `/readyz`; 0 for none. */
  readonly healthPort: number;
  /** Address of the health port. Default: all addresses of the Pod, because the kubelet uses the Pod's IP. */
  readonly healthHost: string;
  /** True if the health port serves the status page at `/status`. */
  readonly statusPage: boolean;
  /** Port of `/metrics`; 0 for none. */
  readonly metricsPort: number;
  /** Address of `/metrics`. Default: all addresses of the Pod. */
  readonly metricsHost: string;
  /** Additional host names for `isAcceptedHost`, in requests to `/status` and `/metrics`. */
  readonly httpHosts: readonly string[];
  /** Prefix of the toolkit's own metrics; undefined for `chancery_`. */
  readonly metricsPrefix: string | undefined;
  /** True if durations, sizes and retries of requests are also measured. */
  readonly metricsDetailed: boolean;
  /**
   * True if `/readyz` also has the check `sources`. This check fails while a source is refused, or has heard
   * nothing for a long time.
   */
  readonly readySources: boolean;
  /** The address where webhooks are answered in plain HTTP: on loopback or a unix socket. */
  readonly webhookListen: ListenAddress;
  /** The lowest level that is logged. Default `info`. */
  readonly logLevel: LogLevel;
  /** The format of the log. Default `auto`. */
  readonly logFormat: LogFormat;
  /** Range of watch durations in seconds, as [min, max). Undefined: 300 to 600. */
  readonly watchTimeoutSeconds: ReflectorSettings['watchTimeoutSeconds'] | undefined;
  /** Mean milliseconds between authoritative relists; 0 for none. Undefined: 30 minutes. */
  readonly relistIntervalMs: number | undefined;
  /** How startup handles a source that the API server does not serve. */
  readonly crdWait: CrdWait;
  /** If undefined, there is no election and every replica works. */
  readonly leaderElection: LeaderElectionSettings | undefined;
  /** If undefined, one replica works on all keys, or every replica does if there is no election. */
  readonly sharding: ShardingSettings | undefined;
  /** True if a replica that does not lead also lists and watches, so that it can take over at once. */
  readonly warmup: boolean;
  /**
   * Milliseconds for the whole shutdown. 0: the shutdown waits for nothing. `Infinity`: there is no limit.
   */
  readonly shutdownTimeoutMs: number;
  /** True if the CustomResourceDefinitions of the controllers are installed at startup. */
  readonly installCrds: boolean;
  /** True if fields of a definition that another field manager applied are taken over. */
  readonly forceCrds: boolean;
  /**
   * True if a write with a field unknown to the API server fails. If false, the server drops the field and
   * sends a warning.
   */
  readonly strictFields: boolean;
  /**
   * How the self-test reacts to missing rights, and to an ambassador that passes forbidden
   * requests.
   */
  readonly selfTest: SelfTestMode;
  /**
   * The name that the API server uses for the webhook gate, and the gate's port on loopback. If undefined,
   * the gate is not tested.
   */
  readonly webhookGate: { readonly service: string; readonly port: number } | undefined;
  /** What `chancery run` records about itself. */
  readonly record: RecordSettings;
  /**
   * True if the operator starts although a ServiceAccount token is visible. The token is then only
   * logged as a warning.
   */
  readonly insecureAllowToken: boolean;
}

/**
 * - `warn`: the self-test at start logs its findings.
 * - `require`: nothing is reconciled before the ambassador's filter is known to work.
 * - `off`: no self-test.
 */
export type SelfTestMode = 'warn' | 'require' | 'off';

/** The levels, from the one that logs the most lines to the one that logs the fewest. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/**
 * - `json`: one JSON object per line.
 * - `pretty`: one human-readable line, with colours on a terminal unless `NO_COLOR` is set.
 * - `auto`: `pretty` on a terminal, `json` elsewhere.
 */
export type LogFormat = 'auto' | 'json' | 'pretty';

/** The setting that says what an empty `WATCH_NAMESPACE` means. */
const EMPTY_WATCH_NAMESPACE = 'CHANCERY_EMPTY_WATCH_NAMESPACE';

type Environment = Readonly<Record<string, string | undefined>>;

/** Every variable with its meaning, for `--help` and the documentation. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['CHANCERY_API_URL', 'the ambassador: http://127.0.0.1:8001 (default) or unix:/path.sock'],
  [
    'WATCH_NAMESPACE',
    'namespaces to watch, as a,b; "*" for all; default: POD_NAMESPACE, "default"',
  ],
  ['res_namespace', 'the same, by its older name; WATCH_NAMESPACE wins'],
  [
    EMPTY_WATCH_NAMESPACE,
    'all: an empty WATCH_NAMESPACE means all namespaces, as OLM writes it; default own: the next of these variables',
  ],
  ['POD_NAMESPACE', 'namespace of our own Pod (Downward API)'],
  ['POD_NAME', 'name of our own Pod (Downward API)'],
  ['CHANCERY_HEALTH_PORT', 'port of /healthz and /readyz; default 8081, 0 for none'],
  ['CHANCERY_HEALTH_HOST', 'address for that port; default all'],
  ['CHANCERY_STATUS_PAGE', 'false: no page for people, /status, on the health port; default true'],
  ['CHANCERY_METRICS_PORT', 'port of /metrics; default 8080, 0 for none'],
  ['CHANCERY_METRICS_HOST', 'address for that port; default all'],
  [
    HTTP_HOSTS,
    'more host names that /status and /metrics answer to, as a,b; always: IP addresses, names of one ' +
      'label, names that end in .svc or .svc.cluster.local',
  ],
  ['CHANCERY_METRICS_PREFIX', 'what our own metrics begin with; default chancery_'],
  [
    'CHANCERY_METRICS_DETAILED',
    'true: durations, sizes and retries of requests, too; default false',
  ],
  [
    'CHANCERY_READY_SOURCES',
    'true: not ready while a source is refused, or silent for two watches; default false',
  ],
  [
    WEBHOOK_LISTEN,
    'where webhooks are answered, for the gate in the same Pod: HOST:PORT on loopback, or unix:/path.sock; ' +
      'default 127.0.0.1:9440',
  ],
  ['CHANCERY_LOG_LEVEL', 'debug, info (default), warn or error'],
  [
    'CHANCERY_LOG_FORMAT',
    'auto (default): lines for people on a terminal, JSON elsewhere; json; pretty',
  ],
  ['CHANCERY_WATCH_TIMEOUT', 'seconds after which watches end, as MIN-MAX; default 300-600'],
  [
    'CHANCERY_RELIST_INTERVAL',
    'seconds between authoritative relists, 600 or more; default 1800, 0 for none',
  ],
  [
    'CHANCERY_CRD_WAIT',
    'at start, for a resource that is not served: forever (default); timeout: fail after 2 minutes; ' +
      'optional: begin without',
  ],
  [
    'CHANCERY_INSTALL_CRDS',
    'true: installs or upgrades the CustomResourceDefinitions of the controllers at start; force: also ' +
      'those that another field manager applied, such as kubectl apply; default false',
  ],
  ...LEADER_ELECTION_ENVIRONMENT,
  ...SHARDING_ENVIRONMENT,
  [
    'CHANCERY_WARMUP',
    'false: a replica that does not lead watches nothing, which saves memory; default true',
  ],
  [
    'CHANCERY_SHUTDOWN_TIMEOUT',
    'seconds that the whole stop may take; default 25; 0 waits for nothing, -1 for everything',
  ],
  [
    'CHANCERY_SELF_TEST',
    'at start: warn (default) logs what the ambassador should refuse and does not, and rights that are ' +
      'missing; require: also fails before anything is reconciled unless the filter works; off',
  ],
  [
    'CHANCERY_WEBHOOK_GATE',
    'the gate of the webhooks, as SERVICE.NAMESPACE.svc:PORT: unless the self-test is off, logs a certificate that the API ' +
      'server refuses, and a gate that passes what it must not; default: it is not tested',
  ],
  ...RECORD_ENVIRONMENT,
  [
    'CHANCERY_INSECURE_ALLOW_TOKEN',
    'true: starts although a ServiceAccount token is visible; default false',
  ],
  [
    'NODE_ENV',
    '"development" and "test": a write with a field that the API server does not know fails; otherwise ' +
      'the field is dropped, with a warning',
  ],
];

/**
 * Reads the settings from environment variables. Unset and empty variables have their defaults.
 *
 * @throws ConfigurationError `CONFIG` with the name of the variable, the expected and the found value.
 */
export function settingsFrom(environment: Environment): Settings {
  const read: ReadSetting = (name) => environment[name]?.trim() || undefined;
  const namespaces = watchedNamespaces(read);
  return {
    apiUrl: read('CHANCERY_API_URL') ?? 'http://127.0.0.1:8001',
    namespaces,
    namespace: namespaces?.[0],
    podNamespace: read('POD_NAMESPACE'),
    podName: read('POD_NAME'),
    healthPort: wholeNumber(read, 'CHANCERY_HEALTH_PORT', PORTS) ?? 8_081,
    healthHost: read('CHANCERY_HEALTH_HOST') ?? '::',
    statusPage: flag(read, 'CHANCERY_STATUS_PAGE', true),
    metricsPort: wholeNumber(read, 'CHANCERY_METRICS_PORT', PORTS) ?? 8_080,
    metricsHost: read('CHANCERY_METRICS_HOST') ?? '::',
    httpHosts: httpHosts(read),
    metricsPrefix: metricsPrefix(read),
    metricsDetailed: flag(read, 'CHANCERY_METRICS_DETAILED', false),
    readySources: flag(read, 'CHANCERY_READY_SOURCES', false),
    webhookListen: webhookListen(read),
    logLevel: oneOf(read, 'CHANCERY_LOG_LEVEL', LOG_LEVELS) ?? 'info',
    logFormat: oneOf(read, 'CHANCERY_LOG_FORMAT', LOG_FORMATS) ?? 'auto',
    watchTimeoutSeconds: range('CHANCERY_WATCH_TIMEOUT', read('CHANCERY_WATCH_TIMEOUT')),
    relistIntervalMs: relistInterval(read('CHANCERY_RELIST_INTERVAL')),
    crdWait: oneOf(read, 'CHANCERY_CRD_WAIT', CRD_WAITS) ?? 'forever',
    ...crdInstallation(read),
    leaderElection: leaderElectionFrom(read),
    sharding: shardingFrom(read),
    warmup: flag(read, 'CHANCERY_WARMUP', true),
    shutdownTimeoutMs: shutdownTimeout(read),
    strictFields: ['development', 'test'].includes(read('NODE_ENV') ?? ''),
    selfTest: oneOf(read, 'CHANCERY_SELF_TEST', SELF_TEST_MODES) ?? 'warn',
    webhookGate: webhookGate(read),
    record: recordFrom(read),
    insecureAllowToken: flag(read, 'CHANCERY_INSECURE_ALLOW_TOKEN', false),
  };
}

/**
 * `settings` overridden by `given`. `namespace` becomes the first of `given.namespaces`, unless `given` also
 * sets `namespace`.
 */
export function overridden(settings: Settings, given: Partial<Settings> = {}): Settings {
  const first = 'namespaces' in given ? { namespace: given.namespaces?.[0] } : {};
  return { ...settings, ...first, ...given };
}

const PORTS = { max: 65_535 };
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const LOG_FORMATS = ['auto', 'json', 'pretty'] as const;
const SELF_TEST_MODES = ['warn', 'require', 'off'] as const;
const CRD_INSTALLATIONS = ['true', 'force', 'false'] as const;
const CRD_WAITS = ['forever', 'timeout', 'optional'] as const;

function crdInstallation(read: ReadSetting): Pick<Settings, 'installCrds' | 'forceCrds'> {
  const how = oneOf(read, 'CHANCERY_INSTALL_CRDS', CRD_INSTALLATIONS) ?? 'false';
  return { installCrds: how !== 'false', forceCrds: how === 'force' };
}

function metricsPrefix(read: ReadSetting): string | undefined {
  const text = read('CHANCERY_METRICS_PREFIX');
  if (text === undefined || /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(text)) return text;
  const wanted = 'letters, digits and _, and begin with no digit';
  throw unusable('CHANCERY_METRICS_PREFIX', wanted, text);
}

/** An invalid name is refused, because the operator would appear healthy but see nothing. */
function watchedNamespaces(read: ReadSetting): readonly string[] | undefined {
  const isAllWhenEmpty = oneOf(read, EMPTY_WATCH_NAMESPACE, ['own', 'all']) === 'all';
  if (isAllWhenEmpty && read('WATCH_NAMESPACE') === undefined) return undefined;
  for (const name of ['WATCH_NAMESPACE', 'res_namespace', 'POD_NAMESPACE']) {
    const text = read(name);
    if (text === undefined) continue;
    if (text === '*') return undefined;
    const namespaces = [...new Set(text.split(',').map((part) => part.trim()))];
    if (
      namespaces.every((each) => isDnsLabel(each)) &&
      (namespaces.length === 1 || name !== 'POD_NAMESPACE')
    ) {
      return namespaces;
    }
    const wanted = name === 'POD_NAMESPACE' ? 'the name of one namespace' : 'namespaces, as a,b';
    throw unusable(name, `${wanted}, or "*" for all`, text);
  }
  return ['default'];
}

function webhookGate(read: ReadSetting): Settings['webhookGate'] {
  const text = read('CHANCERY_WEBHOOK_GATE');
  if (text === undefined) return undefined;
  const [, service, port] = /^([a-z0-9-]+\.[a-z0-9-]+\.svc):([1-9][0-9]{0,4})$/.exec(text) ?? [];
  if (service !== undefined && Number(port) <= PORTS.max) return { service, port: Number(port) };
  throw unusable('CHANCERY_WEBHOOK_GATE', 'SERVICE.NAMESPACE.svc:PORT', text);
}

const MAX_RELIST_SECONDS = 31_536_000;

function relistInterval(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Number(text) * 1_000;
  const isWhole = /^[0-9]+$/.test(text) && ms <= MAX_RELIST_SECONDS * 1_000;
  if (isWhole && (ms === 0 || ms >= MIN_RELIST_INTERVAL_MS)) return ms;
  const range = `${MIN_RELIST_INTERVAL_MS / 1_000} to ${MAX_RELIST_SECONDS}`;
  throw unusable('CHANCERY_RELIST_INTERVAL', `a whole number from ${range}, or 0 for none`, text);
}

/**
 * A Pod usually has 30 s to stop. 5 s of them are reserved for the time before and after the shutdown of the
 * manager.
 */
const DEFAULT_SHUTDOWN_SECONDS = 25;

function shutdownTimeout(read: ReadSetting): number {
  const name = 'CHANCERY_SHUTDOWN_TIMEOUT';
  const text = read(name);
  if (text === '-1') return Number.POSITIVE_INFINITY;
  const seconds = Number(text ?? DEFAULT_SHUTDOWN_SECONDS);
  const isWhole = text === undefined || /^[0-9]{1,6}$/.test(text);
  if (isWhole) return seconds * 1_000;
  throw unusable(name, 'a whole number from 0 to 999999, or -1 for no limit', text);
}

function range(name: string, text: string | undefined): Settings['watchTimeoutSeconds'] {
  if (text === undefined) return undefined;
  const value = parseSecondsRange(text);
  if (value === undefined)
    throw unusable(name, 'two whole numbers as MIN-MAX, 0 < MIN <= MAX', text);
  return value;
}

/** Parses `MIN-MAX` in whole seconds, or one number for both. Undefined for anything else. */
export function parseSecondsRange(text: string): readonly [min: number, max: number] | undefined {
  const match = /^([0-9]{1,6})(?:-([0-9]{1,6}))?$/.exec(text);
  if (match === null) return undefined;
  const min = Number(match[1]);
  const max = Number(match[2] ?? match[1]);
  return min > 0 && min <= max ? [min, max] : undefined;
}
