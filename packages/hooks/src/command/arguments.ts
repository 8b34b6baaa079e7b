import { ConfigurationError } from 'chancery';
import type { GivenTo, HOOKS } from 'chancery/internal';
import type { Settings } from 'chancery/low-level';
import { HOOKS_DEFAULTS, type HooksProgramOptions } from '../hooks-program.ts';

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

/** @throws ConfigurationError `CONFIG` for a command line that is wrong. */
export function hooksArguments({ values, words, ignored }: GivenTo<typeof HOOKS>): HooksArguments {
  // `start` is the command of shell-operator.
  const folders = words[0] === 'start' ? words.slice(1) : words;
  const { hooksDir, dryRun, follow, crd, logLevel, logType, listenAddress, listenPort } = values;
  const [dir = hooksDir] = folders;
  if (dir === undefined || folders.length > 1) {
    throw new ConfigurationError(`expected one folder of hooks; got ${folders.length}`);
  }
  // The empty path would be the working directory, and all its executables would be started.
  if (dir === '') throw new ConfigurationError('the folder of hooks is an empty text: name one');
  if (follow && !dryRun) {
    throw new ConfigurationError('--follow is for --dry-run; got no --dry-run');
  }
  return {
    dir,
    runner: {
      tmpDir: values.tmpDir ?? HOOKS_DEFAULTS.tmpDir,
      maxProcesses: values.maxProcesses,
      // A dry run ends when nothing is left to do: nothing waits for another attempt.
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
