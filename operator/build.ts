/**
 * Builds `dist/`; part of `npm run build`. The compiler writes one type file for each module. A bundler
 * writes the JavaScript into few files, because finding, reading and linking every module is most of the time
 * that `import 'chancery'` takes.
 *
 * All entries are one build, so that no module is in two files. Packages are not bundled. With `--image` the
 * build has only what `chancery run` needs: no types and no source maps.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { embedTextFiles } from './embed-text-files.ts';

const { image, 'out-dir': outDir } = parseArgs({
  options: {
    image: { type: 'boolean', default: false },
    'out-dir': { type: 'string', default: 'dist' },
  },
}).values;
const root = fileURLToPath(new URL('../', import.meta.url));
const dist = resolve(root, outDir);
const target = join(dist, 'operator');

rmSync(dist, { recursive: true, force: true });
await bundle();
if (!image) declareTypes();

async function bundle(): Promise<void> {
  const entries = [
    'index',
    'schema',
    'kubernetes',
    'metacontroller',
    'cli/main',
    'cli/plugin/main',
    'core/yaml-thread/yaml-work', // a thread loads it
  ];
  if (!image) entries.push('internal');
  const files = Object.fromEntries(entries.map((entry) => [entry, `operator/${entry}.ts`]));
  const build = await rolldown({
    cwd: root,
    // The benchmarks import a few internal parts. The published package does not contain this file.
    input: { ...files, ...(!image && { 'internal-bench': 'bench/internals.ts' }) },
    platform: 'node',
    tsconfig: false,
    external: isPackage,
    plugins: [embedTextFiles()],
    // A slow machine is no fault of the sources: every other log of rolldown is.
    checks: { bundlerTimings: false },
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  await build.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    // One folder below `operator`, like the modules that find files by `import.meta.url`.
    chunkFileNames: 'chunks/[name].js',
    comments: false,
    sourcemap: !image,
    codeSplitting: {
      groups: [
        // Includes everything that index.ts imports: a program that imports a part mostly needs the whole.
        { name: 'toolkit', test: /\/operator\/index\.ts$/, priority: 2 },
        { name: 'logger', test: /\/operator\/manager\/observe\/logger\.ts$/, priority: 1 },
        { name: 'manager', test: /\/operator\/manager\/manager\.ts$/ },
      ],
    },
  });
  await build.close();
}

function isPackage(id: string): boolean {
  return !id.startsWith('.') && !id.startsWith('/');
}

function declareTypes(): void {
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const compiler = join(dirname(typescript), 'bin/tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--outDir', dist];
  execFileSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
}
