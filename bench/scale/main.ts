/** The command line of the scale runs: `npm run bench -- scale --help`. */
import { chanceryEntry } from '../build.ts';
import { parseScaleArguments, usage } from './arguments.ts';
import { SCENARIOS } from './cases.ts';
import { scale } from './scale.ts';

const words = process.argv.slice(2);
const asked = parseScaleArguments(words, SCENARIOS);
// The groups of processes that we start do not see the terminal's signals: `exit` ends them.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

if (asked === 'help') {
  process.stdout.write(usage(SCENARIOS));
} else if ('wrong' in asked) {
  process.stderr.write(`${asked.wrong}\n\n${usage(SCENARIOS)}`);
  process.exitCode = 2;
} else if (chanceryEntry() === undefined) {
  process.stderr.write('Chancery is not built: npm run build\n');
  process.exitCode = 1;
} else {
  process.exitCode = await scale(asked, ['npm run bench -- scale', ...words].join(' '));
}
