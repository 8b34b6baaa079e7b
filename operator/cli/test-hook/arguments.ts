import { ConfigurationError } from '../../core/errors.ts';
import type { GivenTo } from '../command-table.ts';
import type { TEST_HOOK } from './table.ts';

type Values = GivenTo<typeof TEST_HOOK>['values'];

/** The parsed command line of `chancery test-hook`. */
export type TestHookArguments = Values & {
  /**
   * Path of the hook. Undefined when `functions` or `url` is given, because then a function is
   * tested.
   */
  readonly file: string | undefined;
  /** Path of the sample, `-` for standard input. */
  readonly context: string;
};

/** Options that are only for functions of Metacontroller's contract. */
const OF_FUNCTIONS = ['export', 'functions', 'kind', 'name', 'url'] as const;

/**
 * Parses the command line of `chancery test-hook`.
 *
 * @throws ConfigurationError `CONFIG` for an option that is wrong or missing.
 */
export function testHookArguments({ values, words }: GivenTo<typeof TEST_HOOK>): TestHookArguments {
  const { functions, url, context } = values;
  const [file] = words;
  const isNamed = functions !== undefined || url !== undefined;
  if (words.length > 1 || (file === undefined && !isNamed)) {
    throw new ConfigurationError(`expected one FILE, such as hooks/copy.sh; got ${words.length}`);
  }
  if (context === undefined) {
    throw new ConfigurationError('--context must name a file with a sample, or "-"; got none');
  }
  return { ...values, file, context };
}

/**
 * The path of the hook.
 *
 * @throws ConfigurationError `CONFIG` when an option is given that is only for functions.
 */
export function requireNoFunction(asked: TestHookArguments): string {
  const given = OF_FUNCTIONS.find((name) => asked[name] !== undefined);
  if (given === undefined && asked.file !== undefined) return asked.file;
  throw new ConfigurationError(
    `--${given} is for functions of Metacontroller's contract, and the sample is no request to one`,
  );
}
