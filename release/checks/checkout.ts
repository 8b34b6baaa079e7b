/** The commit that is released: all of it, and nothing else. */
import { output } from '../program.ts';

/** How many files are named. */
const NAMED = 5;

export async function checkoutRefusals(root: string): Promise<readonly string[]> {
  const status = await output('git', ['status', '--porcelain'], { cwd: root });
  const changed = status.split('\n').filter((line) => line !== '');
  if (changed.length === 0) return [];
  const named = changed.slice(0, NAMED).map((line) => line.slice(3));
  const more = changed.length > NAMED ? ` and ${changed.length - NAMED} more` : '';
  return [`not committed: ${named.join(', ')}${more}`];
}

/** Whether the commit has the tag of its version. */
export async function tagRefusals(root: string, version: string): Promise<readonly string[]> {
  const tags = await output('git', ['tag', '--points-at', 'HEAD'], { cwd: root });
  return tags.split('\n').includes(`v${version}`) ? [] : [`the commit has no tag v${version}`];
}

/** When the commit was made: the time of everything that a release writes a time into. */
export async function commitTime(root: string): Promise<Date> {
  const seconds = await output('git', ['log', '-1', '--format=%ct'], { cwd: root });
  return new Date(Number(seconds.trim()) * 1000);
}

/** The files that git has, with slashes, below the root. */
export async function trackedFiles(root: string): Promise<readonly string[]> {
  const names = await output('git', ['ls-files', '-z'], { cwd: root });
  return names.split('\0').filter((name) => name !== '');
}
