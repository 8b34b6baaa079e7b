import { ConfigurationError } from '../../core/errors.ts';
import { parseGoDuration } from '../../core/go-duration.ts';
import { parseFlags } from '../flags.ts';

const FLAGS = {
  context: { type: 'string' },
  crd: { type: 'string', multiple: true },
  export: { type: 'string' },
  functions: { type: 'string' },
  'hook-env': { type: 'string', multiple: true },
  'hook-timeout': { type: 'string' },
  kind: { type: 'string' },
  name: { type: 'string' },
  'patches-to': { type: 'string' },
  'record-rights': { type: 'boolean' },
  'strict-patches': { type: 'boolean' },
  url: { type: 'string' },
} as const;

/** What `chancery test-hook` is asked for. */
export interface TestHookArguments {
  /** Path of the hook. Undefined: `functions` or `url` names it. */
  readonly file: string | undefined;
  /** Path of the sample, `-` for standard input. */
  readonly context: string;
  readonly crds: readonly string[];
  readonly hookEnv: readonly string[];
  /** Undefined: the default of the contract. */
  readonly timeoutMs: number | undefined;
  /** Path for the documents, `-` for standard output. */
  readonly patchesTo: string | undefined;
  readonly recordsRights: boolean;
  readonly isStrict: boolean;
  /** Name of the function that a module exports. */
  readonly export: string | undefined;
  /** Path of a file of functions, and the controller in it. */
  readonly functions: string | undefined;
  readonly kind: string | undefined;
  readonly name: string | undefined;
  /** Of a webhook. */
  readonly url: string | undefined;
}

/** Options that name a function of Metacontroller's contract. */
const OF_FUNCTIONS = ['export', 'functions', 'kind', 'name', 'url'] as const;

/** @throws ConfigurationError `CONFIG` for an option that is wrong or missing. */
export function parseTestHookArguments(args: readonly string[]): TestHookArguments {
  const { values, positionals } = parseFlags(args, FLAGS);
  const { functions, url } = values;
  const [file] = positionals;
  const isNamed = functions !== undefined || url !== undefined;
  if (positionals.length > 1 || (file === undefined && !isNamed)) {
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
    ...{ export: values.export, functions, kind: values.kind, name: values.name, url },
  };
}

/** @throws ConfigurationError `CONFIG` when an option is given that only functions have. */
export function requireNoFunction(asked: TestHookArguments): string {
  const given = OF_FUNCTIONS.find((name) => asked[name] !== undefined);
  if (given === undefined && asked.file !== undefined) return asked.file;
  throw new ConfigurationError(
    `--${given} is for functions of Metacontroller's contract, and the sample is no request to one`,
  );
}

function timeoutOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const timeoutMs = parseGoDuration(text);
  if (timeoutMs !== undefined) return timeoutMs;
  throw new ConfigurationError(
    `--hook-timeout must be a duration such as 90s or 5m, or 0 for none, not ${JSON.stringify(text)}`,
  );
}
