import { rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ConfigurationError } from '../../core/errors.ts';
import { unifiedDiff } from '../../core/text/unified-diff.ts';
import { visibleText } from '../../core/text/visible-text.ts';
import { VERSION } from '../../core/version.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { replaceFiles } from '../files/new-files.ts';
import {
  RECORD_FILE,
  readRecord,
  recordFile,
  type ScaffoldRecord,
} from '../files/scaffold-record.ts';
import { packageSpecs } from '../init/packages.ts';
import { mergeLines, uncommitted } from './git.ts';
import { scaffoldOf } from './scaffold.ts';
import { OUTCOMES, type Step, stepsOf } from './steps.ts';
import type { UPGRADE } from './table.ts';

/** A version of the toolkit, and the files that it writes into projects. */
export interface Release {
  readonly version: string;
  readonly scaffoldOf: typeof scaffoldOf;
}

const THIS_RELEASE: Release = { version: VERSION, scaffoldOf };

/** `chancery upgrade`: updates the files of a project to the templates of this version. */
export async function upgrade(
  { values, words }: GivenTo<typeof UPGRADE>,
  io: Io,
  release: Release = THIS_RELEASE,
): Promise<ExitCode> {
  const [folder = '.', ...surplus] = words;
  if (surplus.length > 0) {
    throw new ConfigurationError(`expected one FOLDER; got ${JSON.stringify(words)}`);
  }
  const record = await recordIn(folder, release);
  const { dryRun, force } = values;
  const problem = dryRun || force ? undefined : await uncommitted(folder, io.env);
  if (problem !== undefined) {
    io.stderr.write(
      visibleText(
        `chancery upgrade: ${problem}; nothing was written. Commit first, or upgrade with --force.\n`,
      ),
    );
    return 1;
  }
  const theirs = release.scaffoldOf(record, await packageSpecs(io.env.CHANCERY_PACKAGES));
  const versions = { base: `chancery ${record.version}`, theirs: `chancery ${release.version}` };
  const steps = await stepsOf(folder, record.files, theirs, (texts) =>
    mergeLines(texts, versions, { cwd: folder, env: io.env }),
  );
  if (!dryRun) await carryOut(folder, { ...record, version: release.version }, steps);
  const { stdout, stderr } = io;
  report(folder, { from: record.version, to: release.version, steps, dryRun }, { stdout, stderr });
  return steps.some(({ outcome }) => outcome === 'conflict') ? 1 : 0;
}

/**
 * The record of a project.
 *
 * @throws ConfigurationError `CONFIG` when the folder has no record, or a record of a newer
 * version.
 */
async function recordIn(folder: string, { version }: Release): Promise<ScaffoldRecord> {
  const record = await readRecord(folder);
  if (record === undefined) {
    throw new ConfigurationError(
      `${join(folder, RECORD_FILE)} is missing: chancery init and npm create chancery write it, and only ` +
        'their projects can be upgraded',
    );
  }
  if (isNewer(record.version, version)) {
    throw new ConfigurationError(
      `the project was written by chancery ${record.version}, and this is ${version}: ` +
        'npx chancery@latest upgrade',
    );
  }
  return record;
}

/**
 * True when a version is newer. Only the three numbers are compared, so a release and its release
 * candidates count as equally new.
 */
function isNewer(version: string, other: string): boolean {
  const numbersOf = (text: string): readonly number[] =>
    (text.split(/[-+]/, 1)[0] ?? '').split('.').map(Number);
  const [a, b] = [numbersOf(version), numbersOf(other)];
  const at = a.findIndex((number, place) => number !== b[place]);
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0);
}

/**
 * Writes the files. The record is written last, so that an upgrade that ended early can start
 * again.
 */
async function carryOut(
  folder: string,
  { version, commands }: ScaffoldRecord,
  steps: readonly Step[],
): Promise<void> {
  const changed = steps.flatMap(({ path, after }) =>
    after === undefined ? [] : [{ path, text: after }],
  );
  const files = steps.flatMap(({ path, recorded }) =>
    recorded === undefined ? [] : [[path, recorded] as const],
  );
  const record = recordFile({ version, commands, files: Object.fromEntries(files) });
  await replaceFiles(folder, changed);
  for (const { path, outcome } of steps) {
    if (outcome === 'removed') await rm(join(folder, path));
  }
  await replaceFiles(folder, [record]);
}

interface Upgrade {
  readonly from: string;
  readonly to: string;
  readonly steps: readonly Step[];
  readonly dryRun: boolean;
}

function report(
  folder: string,
  { from, to, steps, dryRun }: Upgrade,
  { stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>,
): void {
  for (const { path, outcome } of steps) {
    stdout.write(visibleText(`${outcome} ${join(folder, path)}\n`));
  }
  if (dryRun) for (const step of steps) stdout.write(differences(step));
  const counts = OUTCOMES.flatMap((outcome) => {
    const count = steps.filter((step) => step.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${outcome}`];
  });
  const name = basename(resolve(folder));
  const does = dryRun ? 'would go' : 'went';
  const rest = dryRun ? 'Nothing was written.' : next(folder, steps);
  stderr.write(
    `chancery upgrade: ${name} ${does} from ${from} to ${to}: ${counts.join(', ')}. ${rest}\n`,
  );
}

function next(folder: string, steps: readonly Step[]): string {
  const conflicts = steps.filter(({ outcome }) => outcome === 'conflict');
  const resolving =
    conflicts.length === 0
      ? ''
      : 'Resolve the conflicts first, each between <<<<<<< and >>>>>>>:\n\n' +
        `${conflicts.map(({ path }) => `  ${join(folder, path)}\n`).join('')}\n`;
  return `${resolving}Next:\n\n  npm install\n  npm run generate\n  npm test`;
}

function differences({ path, before, after, outcome }: Step): string {
  if (after === undefined && outcome !== 'removed') return '';
  const lines = unifiedDiff(before ?? '', after ?? '');
  return visibleText(`\n--- ${path}\n+++ ${path}\n${lines.map((line) => `${line}\n`).join('')}`);
}
