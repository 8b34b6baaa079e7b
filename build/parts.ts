/** What packages have besides the entries in their package.json. A package that has nothing else is not here. */

/** Paths of sources are relative to the folder of the package, those of outputs to its `dist/`. */
export interface Parts {
  /** Modules that something starts by their place, such as a command or a thread: output without `.js` → source. */
  readonly modules?: Readonly<Record<string, string>>;
  /** The same for benchmarks. `files` in package.json leaves them out of the published package. */
  readonly unpublished?: Readonly<Record<string, string>>;
  /** Entries that only tests import: an image does not have them. */
  readonly notInImages?: readonly string[];
  /** The folder for code that more than one module needs, or that is loaded later. */
  readonly chunks?: string;
  /** Modules that are put into a file of their own, with all that they import. */
  readonly groups?: readonly Group[];
  /** Files that are read from beside the module that needs them: output → source. */
  readonly copies?: Readonly<Record<string, string>>;
}

interface Group {
  readonly name: string;
  readonly test: RegExp;
  readonly priority?: number;
}

/** By the name of the package. */
export const PARTS: Readonly<Record<string, Parts>> = {
  chancery: {
    modules: {
      'operator/cli/main': './operator/cli/main.ts',
      'operator/cli/plugin/main': './operator/cli/plugin/main.ts',
      'operator/core/yaml-thread/yaml-work': './operator/core/yaml-thread/yaml-work.ts',
    },
    unpublished: { 'operator/internal-bench': './bench/internals.ts' },
    notInImages: ['chancery/internal-testing'],
    // One folder below `operator`, like the modules that find files by `import.meta.url`.
    chunks: 'operator/chunks/',
    groups: [
      // Alone for the API server of tests, which needs no more than this and schemas. Not in it are a thread, which is found by
      // its place, the file that imports another package, and what only recordings need.
      {
        name: 'objects',
        test: /\/operator\/(?:core\/(?!yaml-thread|text\/unified-diff)|model\/(?!masks))/,
        priority: 3,
      },
      // Includes everything that both entries import: a program that imports a part mostly needs the whole.
      { name: 'toolkit', test: /\/operator\/(?:index|low-level)\.ts$/, priority: 2 },
      // Of the manager, what a test runs: it reads no environment, and writes no log.
      {
        name: 'process',
        test: /\/operator\/(?:manager\/(?:operator-process|settings\/.*)|client\/connection)\.ts$/,
        priority: 1,
      },
      { name: 'logger', test: /\/operator\/manager\/observe\/logger\.ts$/, priority: 1 },
      { name: 'manager', test: /\/operator\/manager\/manager\.ts$/ },
      // Only `chancery/internal` imports it, and it finds its thread by its place.
      { name: 'yaml-reader', test: /\/operator\/core\/yaml-thread\/yaml-reader\.ts$/ },
    ],
  },
  '@chancery/testing': {
    modules: { 'chancery-testing': './src/chancery-testing.ts' },
    copies: {
      'descriptions.json': 'src/apiserver/built-in-types/descriptions.json',
      'kubernetes.json': 'src/apiserver/built-in-types/kubernetes.json',
    },
  },
  'create-chancery': { modules: { 'create-chancery': './main.ts' } },
};
