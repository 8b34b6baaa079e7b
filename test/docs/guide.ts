/** A guide's text and the files that stand in it, as people copy them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

export function guide(name: string): string {
  return readFileSync(join(root, 'docs', name), 'utf8');
}

/** What stands in blocks that begin with "```ts FILE", by file. */
export function examplesIn(text: string): ReadonlyMap<string, string> {
  const blocks = [...text.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)];
  return new Map(blocks.map(([, file = '', code = '']) => [file, code]));
}

/**
 * A folder inside the package, where `chancery` is found by its name. It is none of the folders that other
 * tests list: they would find it, and then find it gone.
 */
export function exampleFolder(): string {
  const folder = mkdtempSync(join(root, '.guide-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes the examples of a guide into `folder`. */
export function copyExamples(name: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [file, code] of examplesIn(guide(name))) writeFileSync(join(folder, file), code);
}

/** What a file of a guide exports. */
export function exampleOf<T>(name: string, file: string): Promise<T> {
  const folder = exampleFolder();
  copyExamples(name, folder);
  return import(/* @vite-ignore */ join(folder, file)) as Promise<T>;
}

/** The rows of each table of a guide, cell by cell, without their heads. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line) => /^\| .* \|$/.test(line))
    .map((line) => line.slice(2, -2).split(' | '));
}
