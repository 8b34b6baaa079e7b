/** The hooks of this example as files of a test's own folder. */
import { readdirSync, readFileSync } from 'node:fs';

const HOOKS = new URL('../hooks/', import.meta.url);

export const PATIENT = { timeoutMs: 30_000 };

/** A hook and its rights, by file. */
export function filesOf(hook: string): Readonly<Record<string, string>> {
  const names = readdirSync(HOOKS).filter((name) => name.startsWith(hook));
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(new URL(name, HOOKS), 'utf8')]),
  );
}
