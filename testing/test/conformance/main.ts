import { parseArgs } from 'node:util';
import { describeDifference } from './difference.ts';
import { type Judgement, judge } from './judgement.ts';
import { KNOWN_DIFFERENCES, SECOND_THRESHOLD, THRESHOLD } from './known-differences.ts';
import { type ChapterResult, conformance, secondConformance } from './report.ts';
import { CHAPTERS, SECOND_CHAPTERS } from './session.ts';

const HELP = `usage: npm run prove -- conformance [RECORDING… | --all]

Sends every request of test/recordings/*.jsonl to the embedded API server, in the order and at the
times of the recording, and compares each answer with that of a real kube-apiserver v1.36.2.

Prints how many answers are equal, per recording; and where answers differ, the first three places
of each exchange ("-" what the real server said, "+" what this one says). The second set of recordings
has a total of its own.

  RECORDING   only shows the differences of these, known ones too; all recordings are replayed
  --all       shows every place of every difference
  --help      this text

Exits with 1 when fewer than ${THRESHOLD} % are equal (${SECOND_THRESHOLD} % of the second set), when an exchange differs that
testing/test/conformance/known-differences.ts does not know (in the first set), or when one listed there is equal; with 2 for
wrong arguments.
`;

const SHOWN = 3;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function show(
  { recording, exchanges }: ChapterResult,
  wanted: readonly string[],
  all: boolean,
): void {
  const different = exchanges.filter(({ differences }) => differences.length > 0);
  print(
    `${recording.padEnd(21)} ${String(exchanges.length).padStart(3)} exchanges, ` +
      `${exchanges.length - different.length} equal, ${different.length} different`,
  );
  if (wanted.length > 0 && !wanted.includes(recording)) return;
  for (const { id, request, differences } of different) {
    const reason = KNOWN_DIFFERENCES[recording]?.[id];
    print(`  ${id} ${request.slice(0, 120)}`);
    if (reason !== undefined) print(`    known: ${reason}`);
    if (reason !== undefined && wanted.length === 0 && !all) continue;
    const places = all ? differences : differences.slice(0, SHOWN);
    for (const place of places) print(`    ${describeDifference(place)}`);
    if (places.length < differences.length) {
      print(`    … and ${differences.length - places.length} more places (--all)`);
    }
  }
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { all: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const names = [...CHAPTERS, ...SECOND_CHAPTERS].map(({ recording }) => recording);
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new TypeError(`no recording ${unknown.join(', ')}; there are ${names.join(', ')}`);
  }
  const told = (result: ChapterResult): void => show(result, positionals, values.all);
  const verdict = judge(await conformance(told), KNOWN_DIFFERENCES, THRESHOLD);
  const second = judge(await secondConformance(told), {}, SECOND_THRESHOLD);
  print(`total: ${figure(verdict)}`);
  for (const name of verdict.unexpected) print(`not known as different: ${name}`);
  for (const name of verdict.stale) print(`known as different, but equal or not there: ${name}`);
  print(`second set: ${figure(second)}`);
  return verdict.passed && second.enough ? 0 : 1;
}

function figure({ total, equal }: Judgement): string {
  return `${total} exchanges, ${equal} equal, ${((100 * equal) / total).toFixed(1)} %`;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  process.stderr.write(`conformance: ${error.message}\nTry npm run prove -- conformance --help\n`);
  process.exitCode = 2;
}
