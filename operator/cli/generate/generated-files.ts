import { unifiedDiff } from '../../core/text/unified-diff.ts';
import type { ExitCode, Io } from '../command.ts';
import type { LineWriter } from '../line-writer.ts';
import { removedDefinitions } from './removed-definitions.ts';
import { type FileState, writeStates } from './written-files.ts';

/**
 * Writes the files whose content has changed. Writes nothing if one of the existing files was not
 * generated.
 */
export async function writeGenerated(
  states: readonly FileState[],
  lines: LineWriter,
  io: Io,
): Promise<ExitCode> {
  const foreign = states.filter(({ state }) => state === 'foreign');
  for (const { path } of foreign) {
    io.stderr.write(
      `chancery generate: ${path} does not say that it was generated, so it stays; move it away\n`,
    );
  }
  if (foreign.length > 0) {
    io.stderr.write('chancery generate: nothing was written\n');
    return 1;
  }
  await writeStates(states);
  const changed = states.filter(({ state }) => state !== 'same');
  await lines.write(
    changed.map(({ path, state }) => `${state === 'surplus' ? 'removed' : 'written'} ${path}`),
  );
  for (const line of removedDefinitions(states)) io.stderr.write(`chancery generate: ${line}\n`);
  const unchanged = states.length - changed.length;
  io.stderr.write(`chancery generate: ${changed.length} changed, ${unchanged} unchanged\n`);
  return 0;
}

/** The words that `--check` prints for a file, keyed by the state of the file. */
const SAYS: Readonly<Record<Exclude<FileState['state'], 'same'>, string>> = {
  missing: 'is missing',
  differs: 'is not as it would be generated',
  surplus: 'would not be generated any more',
  foreign: 'does not say that it was generated',
};

/**
 * Maximum number of lines of a diff, and of characters per line. A filter is one line of thousands
 * of characters.
 */
const DIFF_LINES = 20;
const DIFF_WIDTH = 160;

/** Reports the result of `--check`. Returns 1 when a file differs from its generated content. */
export async function reportStates(
  states: readonly FileState[],
  lines: LineWriter,
  io: Io,
): Promise<ExitCode> {
  let count = 0;
  for (const { path, state, before, after } of states) {
    if (state === 'same') continue;
    count++;
    // No diff is printed for a file that is not part of the output.
    const isCompared = state === 'differs' || (state === 'foreign' && after !== '');
    const diff = isCompared ? unifiedDiff(before, after) : [];
    const shown = diff.slice(0, DIFF_LINES).map(shortened);
    const more = diff.length - shown.length;
    await lines.write([
      `${path} ${SAYS[state]}`,
      ...shown,
      ...(more > 0 ? [`… ${more} lines more`] : []),
    ]);
  }
  const files = `${states.length} file${states.length === 1 ? '' : 's'}`;
  if (count === 0) {
    io.stderr.write(`chancery generate: ${files} as generated\n`);
    return 0;
  }
  io.stderr.write(`chancery generate: ${count} of ${files} not as generated\n`);
  return 1;
}

function shortened(line: string): string {
  return line.length <= DIFF_WIDTH ? line : `${line.slice(0, DIFF_WIDTH)}…`;
}
