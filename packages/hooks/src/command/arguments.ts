import { ConfigurationError } from 'chancery';
import type { GivenTo, HOOKS } from 'chancery/internal';
import type { Settings } from 'chancery/low-level';
import { HOOKS_DEFAULTS, type HooksProgramOptions } from '../hooks-program.ts';

/** The parsed command line of `chancery hooks`. */
export interface HooksArguments {
  readonly dir: string;
  readonly runner: Omit<
    HooksProgramOptions,
    'environment' | 'apiUrl' | 'definitions' | 'ownMetric' | 'jq' | 'yaml' | 'clock' | 'signal'
  >;
  readonly settings: Partial<Settings>;
  /** Files and folders of CustomResourceDefinitions: see `definitionsFor`. */
  readonly crds: readonly string[] | undefined;
  readonly metricsPrefix: string;
  readonly leaderElection: boolean;
  readonly check: boolean;
  readonly dryRun: boolean;
  readonly follow: boolean;
  readonly insecureAllowToken: boolean;
  /**
   * Variables of shell-operator that have no effect here, each with the setting that replaces it.
   */
  readonly ignored: readonly string[];
}

/**
 * Parses the command line of `chancery hooks`.
 *
 * @throws ConfigurationError `CONFIG` when the command line is wrong.
 */
export function hooksArguments({ values, words, ignored }: GivenTo<typeof HOOKS>): HooksArguments {
  // shell-operator is started with the command `start`. `chancery hooks` also accepts this word.
  const folders = words[0] === 'start' ? words.slice(1) : words;
  const { hooksDir, dryRun, follow, crd, logLevel, logType, listenAddress, listenPort } = values;
  const [dir = hooksDir] = folders;
  if (dir === undefined || folders.length > 1) {
    throw new ConfigurationError(`expected one folder of hooks; got ${folders.length}`);
  }
  // An empty path would mean the working directory, and every executable there would be started.
  if (dir === '') throw new ConfigurationError('the folder of hooks is an empty text: name one');
  if (follow && !dryRun) {
    throw new ConfigurationError('--follow is for --dry-run; got no --dry-run');
  }
  return {
    dir,
    runner: {
      tmpDir: values.tmpDir ?? HOOKS_DEFAULTS.tmpDir,
      maxProcesses: values.maxProcesses,
      // A dry run ends when no task is left, so a failed task must not wait for another attempt.
      maxAttempts: dryRun ? 1 : values.maxAttempts,
      timeoutMs: values.hookTimeout,
      hookEnv: values.hookEnv,
      skipBroken: values.skipBrokenHooks,
      strictPatches: values.strictPatches,
      proxiesJsonLines: values.logProxyHookJson,
    },
    settings: {
      ...(logLevel !== undefined && { logLevel }),
      ...(logType !== undefined && { logFormat: logType === 'json' ? 'json' : 'pretty' }),
      ...(listenAddress !== undefined && { metricsHost: listenAddress }),
      ...(listenPort !== undefined && { metricsPort: listenPort }),
    },
    crds: crd.length > 0 ? crd : undefined,
    metricsPrefix: metricsPrefixOf(values.metricsPrefix ?? values.prometheusMetricsPrefix),
    leaderElection: !values.noLeaderElection,
    check: values.check,
    dryRun,
    follow,
    insecureAllowToken: values.insecureAllowToken,
    ignored,
  };
}

function metricsPrefixOf(text = 'shell_operator_'): string {
  if (/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(text)) return text;
  throw new ConfigurationError(
    `--metrics-prefix must be letters, digits and _, no digit first, not ${JSON.stringify(text)}`,
  );
}
