import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findKubectl } from '@chancery/testing';
import { chanceryEntry } from './build.ts';
import { SUBJECTS, type Subject, type SubjectName } from './subjects.ts';

/** What is installed on this machine. */
export interface Surroundings {
  /** The entry that `npm run build` wrote; undefined before the build. */
  readonly chancery: string | undefined;
  /** True when a package is installed for the benchmarks. */
  readonly hasPackage: (name: string) => boolean;
  /** True when a command is on the PATH. */
  readonly hasCommand: (name: string) => boolean;
  readonly hasKubectl: boolean;
}

/** The missing requirements of these subjects, a line for each, with its remedy. */
export function missingFor(
  names: readonly SubjectName[],
  { chancery, hasPackage, hasCommand, hasKubectl }: Surroundings = here(),
): readonly string[] {
  const subjects: readonly Subject[] = [...new Set(names)].map((name) => SUBJECTS[name]);
  const packages = unique(subjects.flatMap((subject) => subject.packages ?? []));
  const commands = unique(subjects.flatMap((subject) => subject.commands ?? []));
  const needsKubectl = subjects.some(({ proxied }) => proxied);
  return [
    ...(chancery === undefined ? ['Chancery is not built: npm run build'] : []),
    ...packages
      .filter((name) => !hasPackage(name))
      .map((name) => `${name} is not installed: npm ci --prefix bench`),
    ...commands
      .filter((name) => !hasCommand(name))
      .map((name) => `${name} is not on the PATH: install it, or leave it out with --only`),
    ...(needsKubectl && !hasKubectl
      ? ['there is no kubectl: set KUBECTL, or put one on the PATH']
      : []),
  ];
}

function here(): Surroundings {
  return {
    chancery: chanceryEntry(),
    hasPackage: (name) => existsSync(new URL(`node_modules/${name}/package.json`, import.meta.url)),
    hasCommand: (name) =>
      (process.env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, name))),
    hasKubectl: findKubectl(process.env) !== undefined,
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
