/** The command line of the benchmarks: `npm run bench -- clients --help`. */
import { parseBenchArguments, USAGE } from './arguments.ts';
import { bench } from './bench.ts';
import { CheckoutError } from './checkout.ts';
import { SUBJECT_NAMES } from './subjects.ts';
import { WORKS } from './works.ts';

const words = process.argv.slice(2);
const asked = parseBenchArguments(words, [...SUBJECT_NAMES, ...Object.keys(WORKS)]);
// The process groups that we start do not receive the terminal's signals: our `exit` ends them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

if (asked === 'help') {
  process.stdout.write(USAGE);
} else if ('wrong' in asked) {
  process.stderr.write(`${asked.wrong}\n\n${USAGE}`);
  process.exitCode = 2;
} else {
  try {
    process.exitCode = await bench(asked, ['npm run bench --', ...words].join(' '));
  } catch (error) {
    if (!(error instanceof CheckoutError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
