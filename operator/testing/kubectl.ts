import { accessSync, constants, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** A kubectl of one version, such as `kubectl.1.33`. */
const VERSIONED = /^kubectl\.1\.([0-9]+)$/;

/**
 * The path of a real kubectl, or undefined when there is none.
 *
 * `KUBECTL` names it; otherwise the newest `kubectl.1.<minor>` beside the `kubectl` on the PATH,
 * where that one is only a dispatcher between versions; otherwise that one itself.
 */
export function findKubectl(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.KUBECTL) return env.KUBECTL;
  const found = onPath(env.PATH ?? '', 'kubectl');
  if (found === undefined) return undefined;
  return newestBeside(realpathSync(found)) ?? found;
}

function onPath(path: string, name: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function newestBeside(kubectl: string): string | undefined {
  const folder = dirname(kubectl);
  const [newest] = readdirSync(folder)
    .filter((name) => VERSIONED.test(name) && isExecutable(join(folder, name)))
    .sort((a, b) => minorOf(b) - minorOf(a));
  return newest === undefined ? undefined : join(folder, newest);
}

function minorOf(name: string): number {
  return Number(VERSIONED.exec(name)?.[1] ?? 0);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
