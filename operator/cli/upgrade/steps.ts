import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, OperatorError } from '../../core/errors.ts';
import type { ScaffoldRecord } from '../files/scaffold-record.ts';
import type { Merged, ThreeTexts } from './git.ts';
import { mergeJson } from './merge-json.ts';

type Texts = ScaffoldRecord['files'];

/** All outcomes, in the order of the report's summary. */
export const OUTCOMES = [
  'added',
  'updated',
  'merged',
  'conflict',
  'removed',
  'left',
  'deleted by you',
] as const;

/** What an upgrade does with one file. */
export interface Step {
  readonly path: string;
  readonly outcome: (typeof OUTCOMES)[number];
  /** The text of the user. Undefined when there is no such file. */
  readonly before: string | undefined;
  /** The text to write. Undefined when nothing is written. */
  readonly after?: string;
  /**
   * The text to record, which is the base of the next upgrade. Undefined for a file that belongs
   * only to the user.
   */
  readonly recorded: string | undefined;
}

/** Merges by lines. */
export type MergeLines = (texts: ThreeTexts) => Promise<Merged>;

/**
 * What an upgrade does with each file, sorted by path.
 *
 * @param base - the texts that were written before.
 * @param theirs - the texts that this version writes.
 * @throws OperatorError `CONFIG` when a file cannot be read.
 */
export async function stepsOf(
  folder: string,
  base: Texts,
  theirs: Texts,
  merge: MergeLines,
): Promise<readonly Step[]> {
  const paths = [...new Set([...Object.keys(base), ...Object.keys(theirs)])].sort();
  const steps: Step[] = [];
  for (const path of paths) {
    const yours = await textIn(folder, path);
    const texts = { path, base: base[path], theirs: theirs[path] };
    const { text, restore } = withLineFeeds(yours);
    const { outcome, after } = await stepFor({ ...texts, yours: text }, merge);
    const isOwn = texts.base === undefined && yours !== undefined && outcome === 'left';
    steps.push({
      path,
      outcome,
      before: yours,
      ...(after !== undefined && { after: restore(after) }),
      recorded: isOwn && text !== texts.theirs ? undefined : texts.theirs,
    });
  }
  return steps.filter(({ before, recorded }) => before !== undefined || recorded !== undefined);
}

async function stepFor(
  {
    path,
    base,
    yours,
    theirs,
  }: { readonly path: string } & Readonly<Record<keyof ThreeTexts, string | undefined>>,
  merge: MergeLines,
): Promise<Pick<Step, 'outcome' | 'after'>> {
  if (yours === undefined) {
    if (base !== undefined) return { outcome: 'deleted by you' };
    return { outcome: 'added', ...(theirs !== undefined && { after: theirs }) };
  }
  if (theirs === undefined) return { outcome: yours === base ? 'removed' : 'left' };
  // Without a base, the file belongs to the user, even though it has the name of one of our files.
  if (yours === theirs || base === theirs || base === undefined) return { outcome: 'left' };
  if (yours === base) return { outcome: 'updated', after: theirs };
  const texts = { base, yours, theirs };
  const { text, isConflict } = await merge((isPackage(path) && mergeJson(texts)) || texts);
  if (isConflict) return { outcome: 'conflict', after: text };
  return text === yours ? { outcome: 'left' } : { outcome: 'merged', after: text };
}

/** True for a file that is merged as JSON. Other JSON files may contain comments. */
function isPackage(path: string): boolean {
  return path === 'package.json';
}

/**
 * A text with line feeds, as in the templates, and a function that restores its original line ends
 * in another text. git may check out files with other line ends.
 */
function withLineFeeds<T extends string | undefined>(
  text: T,
): { readonly text: T; restore(other: string): string } {
  if (text?.includes('\r\n') !== true) return { text, restore: (other) => other };
  return {
    text: text.replaceAll('\r\n', '\n') as T,
    restore: (other) => other.replaceAll('\n', '\r\n'),
  };
}

async function textIn(folder: string, path: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, path), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new OperatorError(`cannot read ${path}: ${messageOf(error)}`, {
      code: 'CONFIG',
      layer: 'configuration',
      cause: error,
    });
  }
}
