/** `node test/lanes/guarantees-shown.ts REPORT.json …`: whether the lanes have shown every guarantee. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { readGuarantees } from '../guarantees/guarantees.ts';
import { judge } from './judge-guarantees.ts';
import { type Report, reportFrom } from './vitest-report.ts';

const USAGE = `usage: node test/lanes/guarantees-shown.ts REPORT.json [REPORT.json …]

Reads what vitest has written with --reporter=json, a report for each lane. For every row of
docs/concepts/guarantees.md and every file that has its tag, a test with the tag must have passed in a lane,
and none with it may have failed in every lane in which it ran.

Exits 0 and says how many guarantees are shown; exits 1 with one line on standard error for each row
and file that is not: tag, file, and \`absent\`, \`skipped in every lane\` or \`failed\`; exits 2 when a
report cannot be read.
`;

process.exitCode = main(process.argv.slice(2));

function main(paths: readonly string[]): number {
  if (paths.length === 0 || paths.some((path) => path.startsWith('-'))) {
    process.stderr.write(USAGE);
    return 2;
  }
  const reports: Report[] = [];
  for (const path of paths) {
    try {
      reports.push(reportFrom(readFileSync(path, 'utf8')));
    } catch (error) {
      process.stderr.write(`${path}: ${(error as Error).message}\n\n${USAGE}`);
      return 2;
    }
  }
  const guarantees = readGuarantees();
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const { missing, tests } = judge(guarantees, reports, root);
  for (const { tag, file, found } of missing) process.stderr.write(`${tag} ${file}: ${found}\n`);
  if (missing.length > 0) return 1;
  process.stdout.write(`${guarantees.length} guarantees shown by ${tests} tests\n`);
  return 0;
}
