import { readFileSync } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { dirname } from 'node:path';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import type {
  CertificatesPackage,
  HooksPackage,
  MetacontrollerPackage,
  PackagingPackage,
} from './packages.ts';
import { projectUrl, resolveToolkit } from './toolkit-hooks.ts';

/**
 * Entry points of other packages, with the exports that the commands use. No file of the toolkit
 * has an `import` declaration for these packages.
 */
interface Entries {
  /** The API server. Each command declares the part that it uses. */
  readonly '@chancery/testing': unknown;
  readonly '@chancery/testing/api-server': unknown;
  readonly '@chancery/certificates/command': CertificatesPackage;
  readonly '@chancery/hooks/command': HooksPackage;
  readonly '@chancery/metacontroller/command': MetacontrollerPackage;
  readonly '@chancery/packaging/command': PackagingPackage;
  readonly '@chancery/packaging/kubebuilder': unknown;
}

/** An installed copy of a package, for `requireUsable`. */
interface Installed {
  /** The real path of the package's folder. */
  readonly folder: string;
  readonly version: string;
}

/**
 * Imports an entry of a package that contains a command. The package is searched beside this copy
 * of the toolkit, then in the working directory.
 *
 * @param command - the command that needs the package, such as `generate chart`. Messages contain
 * it.
 * @throws ConfigurationError `CONFIG` when the package is missing, incomplete, installed twice, or
 * of another version than the toolkit. The message contains the command that solves the problem.
 */
export async function loadPackage<E extends keyof Entries>(
  entry: E,
  command: string,
): Promise<Entries[E]> {
  // Compiling about 300 files takes most of the start time. Node caches compiled code in the folder
  // for temporary files, or in NODE_COMPILE_CACHE. If it cannot write there, it starts without a
  // cache.
  enableCompileCache();
  resolveToolkit();
  const name = entry.split('/').slice(0, 2).join('/');
  requireUsable(name, command, installedCopies(name));
  try {
    return (await import(entry)) as Entries[E];
  } catch (error) {
    throw isIncomplete(error) ? incomplete(name, error) : error;
  }
}

/**
 * Checks the copies of a package that a process can find.
 *
 * @throws ConfigurationError `CONFIG` unless there is exactly one copy, with the version of the
 * toolkit.
 */
export function requireUsable(name: string, command: string, copies: readonly Installed[]): void {
  const [first, second] = copies;
  const install = installCommand(name);
  if (first === undefined) {
    throw new ConfigurationError(
      `chancery ${command} needs the package ${name}, which is not installed; ` +
        `run ${install}, or without a project npx -p chancery@${VERSION} -p ${name}@${VERSION} chancery ${command}`,
    );
  }
  if (second !== undefined) {
    throw new ConfigurationError(
      `${name} is installed twice, ${first.version} in ${first.folder} and ${second.version} in ${second.folder}; ` +
        `keep one: run npx chancery ${command} to use the project's chancery, or npm uninstall ${name} in one of the two`,
    );
  }
  if (first.version !== VERSION) {
    throw new ConfigurationError(
      `${name} has version ${first.version} and chancery has ${VERSION}, and they must be equal; run ${install}`,
    );
  }
}

/** The `npm` command that installs the package in the same version as this toolkit. */
export function installCommand(name: string): string {
  const save = name === '@chancery/testing' ? '--save-dev ' : '';
  return `npm install ${save}${name}@${VERSION}`;
}

/** True when a process can find a copy of the package. */
export function isPackageInstalled(name: string): boolean {
  return installedCopies(name).length > 0;
}

/**
 * Matches Node's error codes for a module that is missing or cannot be read, or has an unusable package.json.
 */
const REFUSALS = /^(?:ERR_MODULE_NOT_FOUND|ERR_(?:INVALID_)?PACKAGE_\w+|ENOENT|EACCES)$/;

/**
 * True when files of a package are missing or truncated, because an installation was interrupted,
 * or because only part of it was copied.
 */
function isIncomplete(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return error instanceof SyntaxError || REFUSALS.test(code);
}

function incomplete(name: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(
    `the installed ${name} cannot be loaded: ${messageOf(cause).replace(/\.$/, '')}; ` +
      `remove its folder node_modules/${name}, and run ${installCommand(name)}`,
    { cause },
  );
}

/** The copies beside the toolkit and in the working directory, without duplicates. */
function installedCopies(name: string): readonly Installed[] {
  const project = projectUrl();
  const places = [import.meta.url, ...(project === undefined ? [] : [project])];
  const found = places.flatMap((place) => installedAt(name, place) ?? []);
  return [...new Map(found.map((copy) => [copy.folder, copy])).values()];
}

function installedAt(name: string, place: string): Installed | undefined {
  try {
    const path = createRequire(place).resolve(`${name}/package.json`);
    const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version?: unknown };
    return { folder: dirname(path), version: String(version) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw incomplete(name, error);
  }
}
