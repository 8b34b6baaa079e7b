import { ConfigurationError } from '../../core/errors.ts';
import { parseGoDuration } from '../../core/go-duration.ts';
import { HOOKS_DEFAULTS } from '../../hooks/hooks-program.ts';
import { parseFlags } from '../flags.ts';

const FLAGS = {
  context: { type: 'string' },
  crd: { type: 'string', multiple: true },
  'hook-env': { type: 'string', multiple: true },
  'hook-timeout': { type: 'string' },
  'patches-to': { type: 'string' },
  'record-rights': { type: 'boolean' },
  'strict-patches': { type: 'boolean' },
} as const;

/** What `chancery test-hook` is asked for. */
export interface TestHookArguments {
  /** Path of the hook. */
  readonly file: string;
  /** Path of the sample, `-` for standard input. */
  readonly context: string;
  readonly crds: readonly string[];
  readonly hookEnv: readonly string[];
  readonly timeoutMs: number;
  /** Path for the documents, `-` for standard output. */
  readonly patchesTo: string | undefined;
  readonly recordsRights: boolean;
  readonly isStrict: boolean;
}

/** @throws ConfigurationError `CONFIG` for an option that is wrong or missing. */
export function parseTestHookArguments(args: readonly string[]): TestHookArguments {
  const { values, positionals } = parseFlags(args, FLAGS);
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    throw new ConfigurationError(
      `expected one FILE, such as hooks/copy.sh; got ${positionals.length}`,
    );
  }
  const { context } = values;
  if (context === undefined) {
    throw new ConfigurationError('--context must name a file with a sample, or "-"; got none');
  }
  return {
    file,
    context,
    crds: values.crd ?? [],
    hookEnv: values['hook-env'] ?? [],
    timeoutMs: timeoutOf(values['hook-timeout']),
    patchesTo: values['patches-to'],
    recordsRights: values['record-rights'] ?? false,
    isStrict: values['strict-patches'] ?? false,
  };
}

function timeoutOf(text: string | undefined): number {
  if (text === undefined) return HOOKS_DEFAULTS.timeoutMs;
  const timeoutMs = parseGoDuration(text);
  if (timeoutMs !== undefined) return timeoutMs;
  throw new ConfigurationError(
    `--hook-timeout must be a duration such as 90s or 5m, or 0 for none, not ${JSON.stringify(text)}`,
  );
}
