import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, OperatorError } from '../../core/errors.ts';
import type { Io } from '../command.ts';

type Environment = Io['env'];

/** Maximum number of changed files that the message of a refusal lists. */
const NAMED = 5;

/**
 * The highest exit code of `git merge-file` that stands for a number of conflicts. A higher code means that
 * the command has failed.
 */
const MOST_CONFLICTS = 127;

/**
 * The reason why a folder must not be changed now, because git could not undo the change. Undefined
 * when all files in it are committed.
 *
 * @throws ConfigurationError `CONFIG` when git is missing.
 */
export async function uncommitted(folder: string, env: Environment): Promise<string | undefined> {
  const args = ['status', '--porcelain', '--untracked-files=normal', '--', '.'];
  const { code, stdout } = await git(args, { cwd: folder, env });
  if (code !== 0) return 'this is no git repository, which could undo an upgrade';
  const changed = stdout.split('\n').filter((line) => line !== '');
  if (changed.length === 0) return undefined;
  const named = changed.slice(0, NAMED).map((line) => line.slice(3));
  const more = changed.length > NAMED ? ` and ${changed.length - NAMED} more` : '';
  return `not committed: ${named.join(', ')}${more}`;
}

/** Three versions of the content of one file. Lines end with a line feed. */
export interface ThreeTexts {
  readonly base: string;
  readonly yours: string;
  readonly theirs: string;
}

/**
 * The merged text. After a conflict it contains markers, in the style of the user's git settings.
 */
export interface Merged {
  readonly text: string;
  readonly isConflict: boolean;
}

/**
 * Merges two changes of a text line by line, with `git merge-file`. An upgrade needs git anyway,
 * and editors recognize the conflict markers of git.
 *
 * @param versions - the labels of `base` and `theirs` in the conflict markers.
 * @throws ConfigurationError `CONFIG` when git is missing; OperatorError `CONFIG` when git fails.
 */
export async function mergeLines(
  { yours, base, theirs }: ThreeTexts,
  versions: { readonly base: string; readonly theirs: string },
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): Promise<Merged> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-upgrade-'));
  try {
    const texts = Object.entries({ yours, base, theirs });
    for (const [name, text] of texts) await writeFile(join(folder, name), text);
    const labels = ['yours', versions.base, versions.theirs].flatMap((label) => ['-L', label]);
    const files = texts.map(([name]) => join(folder, name));
    const args = ['merge-file', '--stdout', ...labels, ...files];
    const { code, stdout, stderr } = await git(args, { cwd, env });
    if (code >= 0 && code <= MOST_CONFLICTS) return { text: stdout, isConflict: code > 0 };
    throw new OperatorError(`git merge-file has failed: ${stderr.trim()}`, {
      code: 'CONFIG',
      layer: 'configuration',
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function git(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    execFile('git', args, { cwd, env: { ...env }, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error === null) return resolve({ code: 0, stdout, stderr });
      const { code } = error;
      if (typeof code === 'number') return resolve({ code, stdout, stderr });
      reject(
        new ConfigurationError('git cannot be started: an upgrade merges with it', {
          cause: error,
        }),
      );
    });
  });
}
