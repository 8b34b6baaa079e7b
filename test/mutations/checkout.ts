/** A copy of the checkout, in which a fault may be. It shares the packages that are installed. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Mutation } from './list.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** @returns the folder of the copy, which goes when the process ends. */
export function copiedCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'chancery-mutations-'));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', listed, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const file of files) {
    if (file === '') continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file), { force: false, errorOnExist: false });
  }
  linkPackages(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** The repository's own packages are links: in the copy they lead to the copy. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.name === '@chancery') linkPackages(source, target);
    else if (!entry.name.startsWith('.') || entry.name === '.bin') symlinkSync(source, target);
  }
}

/** Puts the fault into a copy. @returns what takes it out again. @throws Error when its text is not there once. */
export function mutate(copy: string, { file, text, replacement }: Mutation): () => void {
  const path = join(copy, file);
  const before = readFileSync(path, 'utf8');
  if (before.split(text).length !== 2) {
    throw new Error(`${file} has not exactly one "${text}": renew the mutation`);
  }
  writeFileSync(
    path,
    before.replace(text, () => replacement),
  );
  return () => writeFileSync(path, before);
}
