import { accessSync, constants, readdirSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

/** Matches the file name of a kubectl that contains its version, such as `kubectl.1.33`. */
const VERSIONED = /^kubectl\.1\.([0-9]+)$/;

/**
 * The path of a real kubectl; undefined if there is none.
 *
 * The variable `KUBECTL` takes precedence. If the `kubectl` on the PATH is only a dispatcher
 * between versions, the newest `kubectl.1.<minor>` beside it is used. Otherwise, that `kubectl`
 * itself is used.
 */
export function findKubectl(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.KUBECTL) return env.KUBECTL;
  const found = onPath(env.PATH ?? '', 'kubectl');
  if (found === undefined) return undefined;
  return versionsBeside(realpathSync(found))[0] ?? found;
}

/**
 * One real kubectl per installed minor version, oldest first; empty if there is none.
 *
 * If the variable `KUBECTL` is set, the result is only the path in this variable. Otherwise, the result is
 * each `kubectl.1.<minor>` beside the `kubectl` on the PATH, or that `kubectl` itself if there are none.
 */
export function findKubectls(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const one = findKubectl(env);
  if (one === undefined) return [];
  if (env.KUBECTL || !VERSIONED.test(basename(one))) return [one];
  return versionsBeside(one).reverse();
}

function onPath(path: string, name: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

/**
 * The paths of all `kubectl.1.<minor>` in the folder of `kubectl`, sorted from the newest to the oldest
 * version.
 */
function versionsBeside(kubectl: string): string[] {
  const folder = dirname(kubectl);
  return readdirSync(folder)
    .filter((name) => VERSIONED.test(name) && isExecutable(join(folder, name)))
    .sort((a, b) => minorOf(b) - minorOf(a))
    .map((name) => join(folder, name));
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
