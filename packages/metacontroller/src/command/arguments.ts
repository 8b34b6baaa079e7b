import { ConfigurationError, messageOf, parseSelector } from 'chancery';
import { parseFlags, parseGoDuration, refuseReplaced } from 'chancery/internal';
import { METACONTROLLER_DEFAULTS, type MetacontrollerOptions } from '../supervisor/options.ts';
import { REPLACED_FLAGS } from './replaced-flags.ts';

const FLAGS = {
  'apply-strategy': { type: 'string' },
  'apply-strategy-ssa-field-manager': { type: 'string' },
  'cache-flush-interval': { type: 'string' },
  check: { type: 'boolean' },
  'compat-empty-children': { type: 'boolean' },
  'discovery-interval': { type: 'string' },
  'dry-run': { type: 'boolean' },
  extensions: { type: 'boolean' },
  follow: { type: 'boolean' },
  functions: { type: 'string' },
  'insecure-allow-token': { type: 'boolean' },
  'leader-election': { type: 'boolean' },
  'no-leader-election': { type: 'boolean' },
  'no-managed-fields': { type: 'boolean' },
  'target-label-selector': { type: 'string' },
  workers: { type: 'string' },
} as const;

/** What `chancery metacontroller` is asked for. */
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

/** @throws ConfigurationError `CONFIG` for an option that is wrong, or that something else replaces. */
export function parseMetacontrollerArguments(args: readonly string[]): MetacontrollerArguments {
  refuseReplaced(args, REPLACED_FLAGS);
  const { values, positionals } = parseFlags(args, FLAGS);
  const [unexpected] = positionals;
  if (unexpected !== undefined) {
    throw new ConfigurationError(
      `expected options only, since controllers are read from the cluster; got ${JSON.stringify(unexpected)}`,
    );
  }
  if (values.follow === true && values['dry-run'] !== true) {
    throw new ConfigurationError('--follow is for --dry-run; got no --dry-run');
  }
  if (values['leader-election'] === true && values['no-leader-election'] === true) {
    throw new ConfigurationError('expected --leader-election or --no-leader-election; got both');
  }
  const defaults = METACONTROLLER_DEFAULTS;
  return {
    options: {
      workers: workersOf(values.workers) ?? defaults.workers,
      resyncPeriodMs:
        durationOf('cache-flush-interval', values['cache-flush-interval'], 0) ??
        defaults.resyncPeriodMs,
      discoveryIntervalMs:
        durationOf('discovery-interval', values['discovery-interval'], LEAST_DISCOVERY_MS) ??
        defaults.discoveryIntervalMs,
      applyStrategy: strategyOf(values['apply-strategy']) ?? defaults.applyStrategy,
      fieldManager: managerOf(values['apply-strategy-ssa-field-manager']) ?? defaults.fieldManager,
      targetLabelSelector: selectorOf(values['target-label-selector']),
      emptyChildren: values['compat-empty-children'] === true ? 'delete' : 'refuse',
      extensions: values.extensions ?? false,
      managedFields: values['no-managed-fields'] !== true,
    },
    functions: values.functions,
    leaderElection: values['no-leader-election'] !== true,
    check: values.check ?? false,
    dryRun: values['dry-run'] ?? false,
    follow: values.follow ?? false,
    insecureAllowToken: values['insecure-allow-token'] ?? false,
  };
}

/** Discovery in shorter intervals would only be load. */
const LEAST_DISCOVERY_MS = 1_000;

function workersOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9][0-9]{0,2}$/.test(text)) return Number(text);
  throw new ConfigurationError(
    `--workers must be a whole number from 1 to 999, not ${JSON.stringify(text)}`,
  );
}

function durationOf(option: string, text: string | undefined, leastMs: number): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= leastMs && ms < MAX_MS) return ms;
  const least = leastMs === 0 ? '0' : `${leastMs / 1_000}s`;
  throw new ConfigurationError(
    `--${option} must be a duration such as 90s or 30m, from ${least} to 24h, not ${JSON.stringify(text)}`,
  );
}

const MAX_MS = 24 * 3_600_000 + 1;

function strategyOf(text: string | undefined): MetacontrollerOptions['applyStrategy'] | undefined {
  if (text === undefined || text === 'dynamic-apply' || text === 'server-side-apply') return text;
  throw new ConfigurationError(
    `--apply-strategy must be dynamic-apply or server-side-apply, not ${JSON.stringify(text)}`,
  );
}

function managerOf(text: string | undefined): string | undefined {
  if (text === undefined || (text !== '' && text.length <= 128)) return text;
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
