/**
 * `npm run conformance [-- RECORDING…] [--all]`: how far the embedded API server answers as the real
 * one did. Prints a line per recording and the first differences; see --help.
 */
import { parseArgs } from 'node:util';
import { describeDifference } from './difference.ts';
import { type ChapterResult, conformance } from './report.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false } },
});
const SHOWN = values.all ? Number.POSITIVE_INFINITY : 3;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function show({ recording, exchanges }: ChapterResult): void {
  const different = exchanges.filter(({ differences }) => differences.length > 0);
  print(
    `${recording.padEnd(22)} ${exchanges.length} exchanges, ` +
      `${exchanges.length - different.length} equal, ${different.length} different`,
  );
  if (positionals.length > 0 && !positionals.includes(recording)) return;
  for (const { id, request, differences } of different) {
    print(`  ${id} ${request.slice(0, 120)}: ${differences.length}`);
    for (const one of differences.slice(0, SHOWN)) print(`    ${describeDifference(one)}`);
  }
}

const results = await conformance(show);
const all = results.flatMap(({ exchanges }) => exchanges);
const equal = all.filter(({ differences }) => differences.length === 0).length;
print(
  `total ${all.length} exchanges, ${equal} equal (${((100 * equal) / all.length).toFixed(1)} %)`,
);
