import type { CrdWait } from '../../controller/run/settled-sources.ts';
import { isDnsLabel } from '../../model/dns-name.ts';
import { MIN_RELIST_INTERVAL_MS, type ReflectorSettings } from '../../watch/reflector-options.ts';
import { HTTP_HOSTS, httpHosts } from './accepted-host.ts';
import {
  LEADER_ELECTION_ENVIRONMENT,
  type LeaderElectionSettings,
  leaderElectionFrom,
} from './leader-election.ts';
import { flag, oneOf, type ReadSetting, unusable, wholeNumber } from './text.ts';

/** What a manager needs to know of its surroundings. All of it comes from the environment. */
export interface Settings {
  /** Where the ambassador listens: `http://127.0.0.1:8001` or `unix:/path.sock`. */
  readonly apiUrl: string;
  /** Namespaces that sources watch by default, each once; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /** The first of them; undefined for all namespaces. */
  readonly namespace: string | undefined;
  /** Namespace of our own Pod. */
  readonly podNamespace: string | undefined;
  /** Name of our own Pod. */
  readonly podName: string | undefined;
  /** Port of `/healthz` and `/readyz`; 0 for none. */
  readonly healthPort: number;
  /** Address that it listens on: all of the Pod's by default, for the kubelet asks the Pod's IP. */
  readonly healthHost: string;
  /** The health port shows people what the process does: `/status`. */
  readonly statusPage: boolean;
  /** Port of `/metrics`; 0 for none. */
  readonly metricsPort: number;
  /** Address that `/metrics` listens on: all of the Pod's by default. */
  readonly metricsHost: string;
  /** Host names that `/status` and `/metrics` answer to, besides those of `isAcceptedHost`. */
  readonly httpHosts: readonly string[];
  /** What the names of the toolkit's own metrics begin with; undefined for `chancery_`. */
  readonly metricsPrefix: string | undefined;
  /** Durations, sizes and retries of requests are measured, too. */
  readonly metricsDetailed: boolean;
  /** `/readyz` fails as well while a source is refused or has long heard nothing: check `sources`. */
  readonly readySources: boolean;
  /** The least level that is logged. Default `info`. */
  readonly logLevel: LogLevel;
  /** Seconds after which watches end, as [min, max). Undefined: 300 to 600. */
  readonly watchTimeoutSeconds: ReflectorSettings['watchTimeoutSeconds'] | undefined;
  /** Mean milliseconds between authoritative relists, 0 for none. Undefined: 30 minutes. */
  readonly relistIntervalMs: number | undefined;
  /** What the start does about a source that the API server does not serve. */
  readonly crdWait: CrdWait;
  /** Undefined: every replica works. */
  readonly leaderElection: LeaderElectionSettings | undefined;
  /** A replica that does not lead lists and watches all the same, so that it can take over at once. */
  readonly warmup: boolean;
  /** What the whole stop may take: 0 to wait for nothing, `Infinity` for all that it takes. */
  readonly shutdownTimeoutMs: number;
  /** The start brings the CustomResourceDefinitions of the controllers along. */
  readonly installCrds: boolean;
  /** Fields of a definition that another field manager applied are taken over. */
  readonly forceCrds: boolean;
  /** A write with a field that the API server does not know fails. False: the field is dropped, with a warning. */
  readonly strictFields: boolean;
  /** What is done about an ambassador that lets through what it must refuse, and about missing rights. */
  readonly selfTest: SelfTestMode;
  /** A visible ServiceAccount token is worth a warning, and no reason not to start. */
  readonly insecureAllowToken: boolean;
}

/**
 * - `warn`: what the self-test at start finds goes to the log.
 * - `require`: nothing is reconciled before the ambassador's filter is seen to work.
 * - `off`: nothing is tested.
 */
export type SelfTestMode = 'warn' | 'require' | 'off';

/** From the most lines to the fewest. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

type Environment = Readonly<Record<string, string | undefined>>;

/** Every variable that is read, for `--help` and for the documentation. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['CHANCERY_API_URL', 'the ambassador: http://127.0.0.1:8001 (default) or unix:/path.sock'],
  [
    'WATCH_NAMESPACE',
    'namespaces to watch, as a,b; "*" for all; default: POD_NAMESPACE, "default"',
  ],
  ['res_namespace', 'the same, by its older name; WATCH_NAMESPACE wins'],
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
  ['CHANCERY_LOG_LEVEL', 'debug, info (default), warn or error'],
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
 * Settings from environment variables; unset and empty ones have their defaults.
 *
 * @throws ConfigurationError `CONFIG` that names the variable, what it needs and what it holds.
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
    logLevel: oneOf(read, 'CHANCERY_LOG_LEVEL', LOG_LEVELS) ?? 'info',
    watchTimeoutSeconds: range('CHANCERY_WATCH_TIMEOUT', read('CHANCERY_WATCH_TIMEOUT')),
    relistIntervalMs: relistInterval(read('CHANCERY_RELIST_INTERVAL')),
    crdWait: oneOf(read, 'CHANCERY_CRD_WAIT', CRD_WAITS) ?? 'forever',
    ...crdInstallation(read),
    leaderElection: leaderElectionFrom(read),
    warmup: flag(read, 'CHANCERY_WARMUP', true),
    shutdownTimeoutMs: shutdownTimeout(read),
    strictFields: ['development', 'test'].includes(read('NODE_ENV') ?? ''),
    selfTest: oneOf(read, 'CHANCERY_SELF_TEST', SELF_TEST_MODES) ?? 'warn',
    insecureAllowToken: flag(read, 'CHANCERY_INSECURE_ALLOW_TOKEN', false),
  };
}

const PORTS = { max: 65_535 };
const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
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

/** A name that cannot be one is refused: it would be an operator that sees nothing, healthily. */
function watchedNamespaces(read: ReadSetting): readonly string[] | undefined {
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

const MAX_RELIST_SECONDS = 31_536_000;

function relistInterval(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Number(text) * 1_000;
  const isWhole = /^[0-9]+$/.test(text) && ms <= MAX_RELIST_SECONDS * 1_000;
  if (isWhole && (ms === 0 || ms >= MIN_RELIST_INTERVAL_MS)) return ms;
  const range = `${MIN_RELIST_INTERVAL_MS / 1_000} to ${MAX_RELIST_SECONDS}`;
  throw unusable('CHANCERY_RELIST_INTERVAL', `a whole number from ${range}, or 0 for none`, text);
}

/** A Pod's usual 30 s, less 5 for what comes before and after. */
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

/** `MIN-MAX` in whole seconds, or one number for both; undefined when it is neither. */
export function parseSecondsRange(text: string): readonly [min: number, max: number] | undefined {
  const match = /^([0-9]{1,6})(?:-([0-9]{1,6}))?$/.exec(text);
  if (match === null) return undefined;
  const min = Number(match[1]);
  const max = Number(match[2] ?? match[1]);
  return min > 0 && min <= max ? [min, max] : undefined;
}
