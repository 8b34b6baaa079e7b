import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chanceryEntry } from './build.ts';
import type { Subject, SubjectName } from './subjects.ts';

/** Another built checkout of this repository, for `--against`. */
export interface Checkout {
  /** Absolute. */
  readonly folder: string;
  /** Its own subjects, because subjects of another version may take other arguments. */
  readonly subjects: Readonly<Record<SubjectName, Subject>>;
  /** Builds its subjects as its own benchmarks do, into its own `bench/dist`. */
  readonly buildSubjects: () => void;
}

/**
 * A folder that cannot be used for a comparison. The message names the reason and the command to run there.
 */
export class CheckoutError extends Error {
  override readonly name = 'CheckoutError';
  readonly folder: string;

  constructor(folder: string, why: string, options?: ErrorOptions) {
    super(`--against ${folder}: ${why}`, options);
    this.folder = folder;
  }
}

/**
 * Opens a checkout for a comparison.
 *
 * @param path - its folder; a relative one starts at the working directory.
 * @param names - the subjects that it must have.
 * @throws CheckoutError when the folder is no checkout, is not built, lacks a subject, or cannot be loaded.
 */
export async function openCheckout(path: string, names: readonly SubjectName[]): Promise<Checkout> {
  const folder = resolve(path);
  const has = (file: string): boolean => existsSync(join(folder, file));
  if (!has('package.json') || !has('bench/subjects.ts') || !has('bench/build.ts')) {
    throw new CheckoutError(folder, 'no checkout of this repository: it has no benchmarks');
  }
  const entry = chanceryEntry(pathToFileURL(join(folder, 'package.json')));
  if (entry === undefined) {
    throw new CheckoutError(folder, 'it is not built: npm ci && npm run build there');
  }
  const { SUBJECTS } = await load<typeof import('./subjects.ts')>(folder, 'bench/subjects.ts');
  const { buildSubjects } = await load<typeof import('./build.ts')>(folder, 'bench/build.ts');
  const absent = [...new Set(names)].filter((name) => !Object.hasOwn(SUBJECTS, name));
  if (absent.length > 0) {
    throw new CheckoutError(folder, `its benchmarks have no ${absent.join(', ')}`);
  }
  const subjects = Object.fromEntries(
    Object.entries<Subject>(SUBJECTS).map(([name, subject]) => [name, { ...subject, entry }]),
  ) as Record<SubjectName, Subject>;
  return { folder, subjects, buildSubjects };
}

async function load<Module>(folder: string, file: string): Promise<Module> {
  try {
    return (await import(pathToFileURL(join(folder, file)).href)) as Module;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CheckoutError(folder, `its ${file} cannot be loaded: ${why}`, { cause });
  }
}
