/**
 * Package → `dist/`. The entries are those that `exports` of its package.json names: `chancery-source` is the
 * source, `default` the JavaScript, and `types` the one file with the types of that entry.
 *
 * A bundler writes the JavaScript into few files, because finding, reading and linking every module is most of
 * the time that `import 'chancery'` takes. All entries are one build, so that no module is in two files. Other
 * packages stay outside. What is written is not minified and keeps its names: a stack names the functions of
 * the sources, and there are no source maps.
 */
import { chmodSync, copyFileSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, resolve } from 'node:path';
import { type InputOptions, type OutputChunk, rolldown } from 'rolldown';
import type { TypesEntry } from './bundle-types.ts';
import { embedTextFiles } from './embed-text-files.ts';
import { PARTS } from './parts.ts';

/** The parts of package.json that a build reads. */
interface Manifest {
  readonly name: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Target>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Target {
  readonly 'chancery-source': string;
  readonly types: string;
  readonly default: string;
}

/**
 * Builds the package of `folder`, and removes what was in `dist` before.
 *
 * @param options.image - leaves out types, and what only benchmarks and tests import.
 * @throws Error for everything that the bundler warns about, and for a package that is imported and no
 *   dependency.
 */
export async function buildPackage(
  folder: string,
  dist: string,
  { image }: { readonly image: boolean },
): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const entries = entriesOf(manifest, folder);
  rmSync(dist, { recursive: true, force: true });
  await bundleCode(manifest, optionsFor(folder), dist, { entries, image });
  if (image || entries.length === 0) return;
  const { bundleTypes } = await import('./bundle-types.ts');
  await bundleTypes(optionsFor(folder), dist, entries);
}

function optionsFor(cwd: string): InputOptions & { readonly cwd: string } {
  return {
    cwd,
    platform: 'node',
    tsconfig: false,
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    // A slow machine is no fault of the sources: every other log of rolldown is.
    checks: { bundlerTimings: false },
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  };
}

function entriesOf({ name, exports = {} }: Manifest, folder: string): readonly TypesEntry[] {
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    const [, output] = /^\.\/dist\/(.*)\.js$/.exec(target.default) ?? [];
    if (output === undefined || target.types !== `./dist/${output}.d.ts`) {
      throw new Error(`${name}: the types of ${path} have to be beside its code, in dist/`);
    }
    const source = resolve(folder, target['chancery-source']);
    return { specifier: `${name}${path.slice(1)}`, source, output };
  });
}

async function bundleCode(
  manifest: Manifest,
  options: InputOptions & { readonly cwd: string },
  dist: string,
  { entries, image }: { readonly entries: readonly TypesEntry[]; readonly image: boolean },
): Promise<void> {
  const parts = PARTS[manifest.name] ?? {};
  const { notInImages = [] } = parts;
  const built = entries.filter(({ specifier }) => !image || !notInImages.includes(specifier));
  const build = await rolldown({
    ...options,
    input: {
      ...Object.fromEntries(built.map(({ output, source }) => [output, source])),
      ...parts.modules,
      ...(!image && parts.unpublished),
    },
    plugins: [embedTextFiles()],
  });
  const programs = Object.values(manifest.bin ?? {}).filter((path) => path.startsWith('dist/'));
  const { output } = await build.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${parts.chunks ?? ''}[name].js`,
    banner: ({ fileName }) => (programs.includes(`dist/${fileName}`) ? '#!/usr/bin/env node' : ''),
    comments: false,
    codeSplitting: { groups: [...(parts.groups ?? [])] },
  });
  await build.close();
  for (const each of output) if (each.type === 'chunk') checkImports(manifest, each);
  for (const [to, from] of Object.entries(parts.copies ?? {})) {
    copyFileSync(join(options.cwd, from), join(dist, to));
  }
  for (const program of programs) chmodSync(join(dist, program.slice('dist/'.length)), 0o755);
}

/** What is loaded later may be missing from an installation; what is imported may not. */
function checkImports(manifest: Manifest, { imports, fileName }: OutputChunk): void {
  const known = { ...manifest.dependencies, ...manifest.optionalDependencies };
  for (const id of imports) {
    const [, name = id] = /^((?:@[^/]+\/)?[^/]+)/.exec(id) ?? [];
    if (id.endsWith('.js') || id.startsWith('node:') || builtinModules.includes(id)) continue;
    if (known[name] === undefined) {
      throw new Error(`${fileName} imports ${id}, which ${manifest.name} does not depend on`);
    }
  }
}
