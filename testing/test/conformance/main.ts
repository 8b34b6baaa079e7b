import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeDifference } from './difference.ts';
import { recordingFolder } from './folder.ts';
import { type Judgement, judge } from './judgement.ts';
import { isStatus, kindsOf } from './kinds.ts';
import { KNOWN_DIFFERENCES, SECOND_THRESHOLD, THRESHOLD } from './known-differences.ts';
import { type ChapterResult, conformance, folderConformance, secondConformance } from './report.ts';
import { CHAPTERS, SECOND_CHAPTERS } from './session.ts';

const HELP = `usage: npm run conformance [-- [FOLDER] [RECORDING…] [--all]]

Sends every recorded request to the embedded API server, in the order and at the times of the recording, and compares
each answer with that of the real server. Without FOLDER: test/recordings/*.jsonl, taken from a kube-apiserver v1.36.2.

Prints how many answers are equal, per recording; where answers differ, the first three places of each exchange ("-"
what the real server said, "+" what this one says); and the differences by kind.

  FOLDER      its *.jsonl are replayed, each on a server of its own. The form of a line is in test/recordings/README.md
  RECORDING   only shows the differences of these, known ones too; all recordings are replayed
  --all       shows every place of every difference
  --help      this text

Exits with 1 when fewer than ${THRESHOLD} % are equal (${SECOND_THRESHOLD} % of the second set), or when a status code differs. Without FOLDER also when an exchange of the first
set differs that testing/test/conformance/known-differences.ts does not know, or when one listed there is equal. With 2
for wrong arguments.
`;

const SHOWN = 3;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

interface Shown {
  readonly wanted: readonly string[];
  readonly all: boolean;
  /** Known differences are not shown unless they are asked for. */
  readonly committed: boolean;
}

function show({ recording, exchanges }: ChapterResult, { wanted, all, committed }: Shown): void {
  const different = exchanges.filter(({ differences }) => differences.length > 0);
  print(
    `${recording.padEnd(21)} ${String(exchanges.length).padStart(3)} exchanges, ` +
      `${exchanges.length - different.length} equal, ${different.length} different`,
  );
  if (wanted.length > 0 && !wanted.includes(recording)) return;
  for (const { id, request, differences } of different) {
    const reason = committed ? KNOWN_DIFFERENCES[recording]?.[id] : undefined;
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
  const [first, ...others] = positionals;
  if (first !== undefined && statSync(first, { throwIfNoEntry: false })?.isDirectory()) {
    return replayFolder(first, { wanted: others, all: values.all, committed: false });
  }
  return replayCommitted({ wanted: positionals, all: values.all, committed: true });
}

async function replayCommitted(shown: Shown): Promise<number> {
  requireKnown(
    shown.wanted,
    [...CHAPTERS, ...SECOND_CHAPTERS].map(({ recording }) => recording),
  );
  const told = (result: ChapterResult): void => show(result, shown);
  const first = await conformance(told);
  const verdict = judge(first, KNOWN_DIFFERENCES, THRESHOLD);
  const others = await secondConformance(told);
  const second = judge(others, {}, SECOND_THRESHOLD);
  printKinds([...first, ...others]);
  print(`total: ${figure(verdict)}`);
  for (const name of verdict.unexpected) print(`not known as different: ${name}`);
  for (const name of verdict.stale) print(`known as different, but equal or not there: ${name}`);
  print(`second set: ${figure(second)}`);
  return verdict.passed && second.enough && !kindsOf(others).some(isStatus) ? 0 : 1;
}

async function replayFolder(folder: string, shown: Shown): Promise<number> {
  const recordings = recordingFolder(folder);
  const { session, alone } = recordings;
  requireKnown(
    shown.wanted,
    [...session, ...alone].map(({ recording }) => recording),
  );
  const results = await folderConformance(recordings, (result) => show(result, shown));
  printKinds(results);
  const verdict = judge(results, {}, THRESHOLD);
  print(`total: ${figure(verdict)}`);
  return verdict.enough && !kindsOf(results).some(isStatus) ? 0 : 1;
}

function requireKnown(wanted: readonly string[], names: readonly string[]): void {
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  throw new TypeError(
    `no folder or recording ${unknown.join(', ')}; there are ${names.join(', ')}`,
  );
}

function printKinds(results: readonly ChapterResult[]): void {
  const kinds = kindsOf(results);
  if (kinds.length === 0) return;
  print('differences by kind:');
  for (const { kind, count, example } of kinds) {
    print(`  ${kind.padEnd(34)} ${String(count).padStart(4)}   such as ${example}`);
  }
}

function figure({ total, equal }: Judgement): string {
  return `${total} exchanges, ${equal} equal, ${((100 * equal) / total).toFixed(1)} %`;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  process.stderr.write(`conformance: ${error.message}\nTry npm run conformance -- --help\n`);
  process.exitCode = 2;
}
