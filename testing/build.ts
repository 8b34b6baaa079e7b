/**
 * Makes `testing/dist/`, a part of `npm run build`: JavaScript in few files, and types file by file.
 * Packages stay outside, `chancery` among them: an error that the kit throws is `instanceof` the class of
 * the toolkit.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';

const { 'out-dir': outDir } = parseArgs({
  options: { 'out-dir': { type: 'string', default: 'dist' } },
}).values;
const folder = fileURLToPath(new URL('./', import.meta.url));
const dist = resolve(folder, outDir);

rmSync(dist, { recursive: true, force: true });
const build = await rolldown({
  cwd: folder,
  input: { index: 'src/index.ts' },
  platform: 'node',
  tsconfig: false,
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  // A slow machine is no fault of the sources: every other log of rolldown is.
  checks: { bundlerTimings: false },
  onLog: (_level, { message }) => {
    throw new Error(message);
  },
});
await build.write({
  dir: dist,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  comments: false,
  sourcemap: true,
});
await build.close();
// Read from beside the module that `import.meta.url` names.
copyFileSync(
  join(folder, 'src/apiserver/built-in-types/kubernetes.json'),
  join(dist, 'kubernetes.json'),
);
declareTypes();

/** The compiler also writes the types of the toolkit, whose sources the kit imports: they are left behind. */
function declareTypes(): void {
  const all = mkdtempSync(join(tmpdir(), 'chancery-types-'));
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const compiler = join(dirname(typescript), 'bin/tsc');
  try {
    execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', all], {
      cwd: folder,
      stdio: 'inherit',
    });
    cpSync(join(all, 'testing/src'), dist, { recursive: true });
  } finally {
    rmSync(all, { recursive: true, force: true });
  }
}
