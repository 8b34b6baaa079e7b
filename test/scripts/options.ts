import process from 'node:process';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * The options of a program behind `npm run prove`. Ends the process after `--help`, with 0, and after a wrong command
 * line, with 2: the reason and the usage are then on standard error.
 *
 * @param check - says what is wrong with the options, if anything is.
 */
export function optionsOrExit<const T extends ParseArgsOptionsConfig>(
  usage: string,
  options: T,
  check: (values: ReturnType<typeof parsed<T>>) => string | undefined = () => undefined,
): ReturnType<typeof parsed<T>> {
  let problem: string | undefined;
  try {
    if (process.argv.includes('--help')) {
      process.stdout.write(usage);
      process.exit(0);
    }
    const values = parsed(options);
    problem = check(values);
    if (problem === undefined) return values;
  } catch (error) {
    problem = (error as Error).message;
  }
  process.stderr.write(`${problem}\n\n${usage}`);
  process.exit(2);
}

function parsed<const T extends ParseArgsOptionsConfig>(options: T) {
  return parseArgs({ options }).values;
}

/** Whether `text` is a whole number that is at least 1. */
export function isWhole(text: string): boolean {
  return /^[1-9][0-9]*$/.test(text);
}
