import { type ResolveHookContext, registerHooks } from 'node:module';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/** Matches `chancery` and each of its entries, such as `chancery/schema`. */
const TOOLKIT = /^chancery(?:\/|$)/;
/** Matches a package that is installed beside the toolkit, or one of its entries. */
const BESIDE = /^@chancery\/(?:testing|certificates|hooks|metacontroller|packaging)(?:\/|$)/;
/**
 * The export condition of this copy. If this module is a source file, packages of the project are
 * also loaded from source.
 */
const OWN_CONDITIONS = import.meta.url.endsWith('.ts') ? ['chancery-source'] : [];

type Resolve = Parameters<typeof registerHooks>[0]['resolve'];

/**
 * Resolves `chancery` and its entries to this copy of the toolkit, in every module that is loaded
 * from now on. A module that is mounted from a ConfigMap has no `node_modules` above it. A module
 * that has a `node_modules` above it must not load a second copy of the toolkit into the process.
 *
 * `@chancery/testing` and the packages of commands are searched beside the module that imports
 * them, then beside this copy, then in the working directory. A package manager may hide the
 * packages of a project from `chancery`.
 */
export function resolveToolkit(): void {
  registerHooks({ resolve });
}

const resolve: NonNullable<Resolve> = (specifier, context, nextResolve) => {
  const from = (parentURL: string | undefined): ReturnType<typeof nextResolve> =>
    nextResolve(specifier, withParent(context, parentURL));
  // Resolve the entry as if this file imported it. Node allows a package to import its entries by
  // the name of the package.
  if (TOOLKIT.test(specifier)) return from(import.meta.url);
  if (!BESIDE.test(specifier)) return nextResolve(specifier, context);
  for (const parentURL of [context.parentURL, import.meta.url]) {
    try {
      return from(parentURL);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    }
  }
  return from(projectUrl() ?? import.meta.url);
};

/**
 * The working directory as a URL. Packages are searched from there. Undefined when the folder was
 * removed.
 */
export function projectUrl(): string | undefined {
  try {
    return pathToFileURL(`${process.cwd()}/`).href;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

function withParent(
  context: ResolveHookContext,
  parentURL: string | undefined,
): ResolveHookContext {
  return { ...context, parentURL, conditions: [...context.conditions, ...OWN_CONDITIONS] };
}
