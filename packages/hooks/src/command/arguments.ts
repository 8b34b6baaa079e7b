import { ConfigurationError } from 'chancery';
import { type Io, parseFlags, portFlag, refuseReplaced } from 'chancery/internal';
import type { Settings } from 'chancery/low-level';
import { HOOKS_DEFAULTS, type HooksProgramOptions } from '../hooks-program.ts';
import { REPLACED, variableOf } from './inherited-options.ts';

const OWN_FLAGS = {
  check: { type: 'boolean' },
  crd: { type: 'string', multiple: true },
  'dry-run': { type: 'boolean' },
  follow: { type: 'boolean' },
  'hook-env': { type: 'string', multiple: true },
  'hook-timeout': { type: 'string' },
  'hooks-dir': { type: 'string' },
  'insecure-allow-token': { type: 'boolean' },
  'listen-address': { type: 'string' },
  'listen-port': { type: 'string' },
  'log-level': { type: 'string' },
  'log-proxy-hook-json': { type: 'boolean' },
  'log-type': { type: 'string' },
  'max-attempts': { type: 'string' },
  'max-processes': { type: 'string' },
  'metrics-prefix': { type: 'string' },
  'no-leader-election': { type: 'boolean' },
  'prometheus-metrics-prefix': { type: 'string' },
  'skip-broken-hooks': { type: 'boolean' },
  'strict-patches': { type: 'boolean' },
  'tmp-dir': { type: 'string' },
} as const;

/** What `chancery hooks` is asked for. */
export interface HooksArguments {
  readonly dir: string;
  readonly runner: Omit<
    HooksProgramOptions,
    'environment' | 'apiUrl' | 'definitions' | 'ownMetric' | 'jq' | 'yaml' | 'clock' | 'signal'
  >;
  readonly settings: Partial<Settings>;
  /** Files and folders of definitions: see `definitionsFor`. */
  readonly crds: readonly string[] | undefined;
  readonly metricsPrefix: string;
  readonly leaderElection: boolean;
  readonly check: boolean;
  readonly dryRun: boolean;
  readonly follow: boolean;
  readonly insecureAllowToken: boolean;
  /** Variables of shell-operator without a meaning here, each with what replaces it. */
  readonly ignored: readonly string[];
}

/**
 * Parses the options, ours and those of shell-operator, and the variables of the latter.
 *
 * @throws ConfigurationError `CONFIG` for an option that is wrong, or that something else replaces.
 */
export function parseHooksArguments(args: readonly string[], env: Io['env']): HooksArguments {
  // `start` is the command of shell-operator.
  const words = args[0] === 'start' ? args.slice(1) : args;
  refuseReplaced(words, REPLACED);
  const { values, positionals } = parseFlags(words, OWN_FLAGS);
  const read = (option: string, given: string | undefined): string | undefined =>
    given ?? (env[variableOf(option)]?.trim() || undefined);
  const dir = positionals[0] ?? read('hooks-dir', values['hooks-dir']);
  if (dir === undefined || positionals.length > 1) {
    throw new ConfigurationError(`expected one folder of hooks; got ${positionals.length}`);
  }
  if (values.follow === true && values['dry-run'] !== true) {
    throw new ConfigurationError('--follow is for --dry-run; got no --dry-run');
  }
  const maxAttempts = values['max-attempts'];
  return {
    dir,
    runner: {
      tmpDir: read('tmp-dir', values['tmp-dir']) ?? HOOKS_DEFAULTS.tmpDir,
      maxProcesses:
        positive('max-processes', values['max-processes']) ?? HOOKS_DEFAULTS.maxProcesses,
      // A dry run ends when nothing is left to do: nothing waits for another attempt.
      maxAttempts: values['dry-run'] === true ? 1 : positive('max-attempts', maxAttempts),
      timeoutMs: durationFlag('hook-timeout', values['hook-timeout']) ?? HOOKS_DEFAULTS.timeoutMs,
      hookEnv: (values['hook-env'] ?? []).map(variableName),
      skipBroken: values['skip-broken-hooks'] ?? false,
      strictPatches: values['strict-patches'] ?? false,
      proxiesJsonLines: values['log-proxy-hook-json'] ?? isTrue(env.LOG_PROXY_HOOK_JSON),
    },
    settings: {
      ...logSettings(read('log-level', values['log-level']), read('log-type', values['log-type'])),
      ...metricsSettings(
        read('listen-address', values['listen-address']),
        read('listen-port', values['listen-port']),
      ),
    },
    crds: values.crd,
    metricsPrefix: metricsPrefixOf(
      values['metrics-prefix'] ??
        read('prometheus-metrics-prefix', values['prometheus-metrics-prefix']),
    ),
    leaderElection: values['no-leader-election'] !== true,
    check: values.check ?? false,
    dryRun: values['dry-run'] ?? false,
    follow: values.follow ?? false,
    insecureAllowToken: values['insecure-allow-token'] ?? false,
    ignored: Object.entries(REPLACED).flatMap(([option, instead]) =>
      env[variableOf(option)] === undefined ? [] : [`${variableOf(option)}: ${instead}`],
    ),
  };
}

function positive(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new ConfigurationError(
    `--${option} must be a whole number from 1 to 999999, not ${JSON.stringify(text)}`,
  );
}

function variableName(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return text;
  throw new ConfigurationError(
    `--hook-env must be the name of a variable without its value, not ${JSON.stringify(text)}`,
  );
}

function metricsPrefixOf(text = 'shell_operator_'): string {
  if (/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(text)) return text;
  throw new ConfigurationError(
    `--metrics-prefix must be letters, digits and _, no digit first, not ${JSON.stringify(text)}`,
  );
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function durationFlag(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (text === '0') return 0;
  const [, number = '', unit = ''] = /^([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
  const factor = UNIT_MS[unit];
  if (factor !== undefined) return Number(number) * factor;
  throw new ConfigurationError(
    `--${option} must be a duration such as 90s or 5m, or 0 for none, not ${JSON.stringify(text)}`,
  );
}

const LEVELS: Readonly<Record<string, Settings['logLevel']>> = {
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
};
const FORMATS: Readonly<Record<string, Settings['logFormat']>> = {
  json: 'json',
  text: 'pretty',
  color: 'pretty',
};

function logSettings(level: string | undefined, type: string | undefined): Partial<Settings> {
  return {
    ...(level !== undefined && { logLevel: oneOf('log-level', LEVELS, level) }),
    ...(type !== undefined && { logFormat: oneOf('log-type', FORMATS, type) }),
  };
}

function oneOf<V>(option: string, words: Readonly<Record<string, V>>, text: string): V {
  const found = Object.hasOwn(words, text) ? words[text] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(words).join(', ');
  throw new ConfigurationError(`--${option} must be one of ${known}, not ${JSON.stringify(text)}`);
}

function metricsSettings(
  metricsHost: string | undefined,
  portText: string | undefined,
): Partial<Settings> {
  const metricsPort = portFlag('--listen-port', portText);
  return {
    ...(metricsHost !== undefined && { metricsHost }),
    ...(metricsPort !== undefined && { metricsPort }),
  };
}

function isTrue(text: string | undefined): boolean {
  return text === 'true' || text === '1' || text === 'yes';
}
