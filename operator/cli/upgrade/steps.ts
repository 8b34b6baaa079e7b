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
  /** The content of the user's file. Undefined when there is no such file. */
  readonly before: string | undefined;
  /** The new content of the file. Undefined when nothing is written. */
  readonly after?: string;
  /**
   * The content to record, which is the base of the next upgrade. Undefined for a file that the
   * toolkit did not write.
   */
  readonly recorded: string | undefined;
}

/** A function that merges two changed texts line by line, such as `mergeLines`. */
export type MergeLines = (texts: ThreeTexts) => Promise<Merged>;

/**
 * What an upgrade does with each file, sorted by path.
 *
 * @param base - the contents of the files as the toolkit has written them before.
 * @param theirs - the contents of the files that this version writes.
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
  // If there is no base, the toolkit did not write this file. It belongs to the user, even though
  // this version would write a file of the same name.
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
 * A text with line feeds, as in the templates, and a function that gives another text the original
 * line ends of this text. git may check out files with CR LF.
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
