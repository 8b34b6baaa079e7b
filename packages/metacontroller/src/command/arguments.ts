import { ConfigurationError, messageOf, parseSelector } from 'chancery';
import type { GivenTo, METACONTROLLER } from 'chancery/internal';
import type { MetacontrollerOptions } from '../supervisor/options.ts';

/** The parsed command line of `chancery metacontroller`. */
export interface MetacontrollerArguments {
  readonly options: Omit<
    MetacontrollerOptions,
    'functions' | 'apiUrl' | 'ownPorts' | 'environment'
  >;
  /** The path of `--functions`. */
  readonly functions: string | undefined;
  readonly leaderElection: boolean;
  readonly check: boolean;
  readonly dryRun: boolean;
  readonly follow: boolean;
  readonly insecureAllowToken: boolean;
}

/**
 * Parses the command line of `chancery metacontroller`.
 *
 * @throws ConfigurationError `CONFIG` when the command line is wrong.
 */
export function metacontrollerArguments({
  values,
  words: [unexpected],
}: GivenTo<typeof METACONTROLLER>): MetacontrollerArguments {
  if (unexpected !== undefined) {
    throw new ConfigurationError(
      `expected options only, since controllers are read from the cluster; got ${JSON.stringify(unexpected)}`,
    );
  }
  const { functions, check, dryRun, follow, insecureAllowToken, noLeaderElection } = values;
  if (follow && !dryRun) {
    throw new ConfigurationError('--follow is for --dry-run; got no --dry-run');
  }
  if (values.leaderElection && noLeaderElection) {
    throw new ConfigurationError('expected --leader-election or --no-leader-election; got both');
  }
  return {
    options: {
      workers: values.workers,
      resyncPeriodMs: values.cacheFlushInterval,
      discoveryIntervalMs: values.discoveryInterval,
      applyStrategy: values.applyStrategy,
      fieldManager: managerOf(values.applyStrategySsaFieldManager),
      targetLabelSelector: selectorOf(values.targetLabelSelector),
      emptyChildren: values.compatEmptyChildren ? 'delete' : 'refuse',
      extensions: values.extensions,
      managedFields: !values.noManagedFields,
    },
    leaderElection: !noLeaderElection,
    ...{ functions, check, dryRun, follow, insecureAllowToken },
  };
}

function managerOf(text: string): string {
  if (text !== '' && text.length <= 128) return text;
  throw new ConfigurationError(
    '--apply-strategy-ssa-field-manager must be a name of at most 128 characters',
  );
}

function selectorOf(text: string | undefined): string | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  try {
    parseSelector(text);
    return text;
  } catch (error) {
    throw new ConfigurationError(`--target-label-selector: ${messageOf(error)}`, { cause: error });
  }
}
