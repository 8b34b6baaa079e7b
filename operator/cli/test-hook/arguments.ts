import { ConfigurationError } from '../../core/errors.ts';
import type { GivenTo } from '../command-table.ts';
import type { TEST_HOOK } from './table.ts';

type Values = GivenTo<typeof TEST_HOOK>['values'];

/** What `chancery test-hook` is asked for. */
export type TestHookArguments = Values & {
  /** Path of the hook. Undefined: `functions` or `url` names it. */
  readonly file: string | undefined;
  /** Path of the sample, `-` for standard input. */
  readonly context: string;
};

/** Options that name a function of Metacontroller's contract. */
const OF_FUNCTIONS = ['export', 'functions', 'kind', 'name', 'url'] as const;

/** @throws ConfigurationError `CONFIG` for an option that is wrong or missing. */
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

/** @throws ConfigurationError `CONFIG` when an option is given that only functions have. */
export function requireNoFunction(asked: TestHookArguments): string {
  const given = OF_FUNCTIONS.find((name) => asked[name] !== undefined);
  if (given === undefined && asked.file !== undefined) return asked.file;
  throw new ConfigurationError(
    `--${given} is for functions of Metacontroller's contract, and the sample is no request to one`,
  );
}
