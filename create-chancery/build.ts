/**
 * Makes `create-chancery/dist/`, a part of `npm run build`: one file of JavaScript with the texts of all
 * templates. It has no dependencies, so that npm downloads one small package before it starts.
 */
import { chmodSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { embedTextFiles } from '../operator/embed-text-files.ts';

const { 'out-dir': outDir } = parseArgs({
  options: { 'out-dir': { type: 'string', default: 'dist' } },
}).values;
const folder = fileURLToPath(new URL('./', import.meta.url));
const dist = resolve(folder, outDir);

rmSync(dist, { recursive: true, force: true });
const build = await rolldown({
  cwd: folder,
  input: { 'create-chancery': 'main.ts' },
  platform: 'node',
  tsconfig: false,
  // A package here would be a dependency.
  external: /^node:/,
  plugins: [embedTextFiles()],
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
  banner: '#!/usr/bin/env node',
  comments: false,
});
await build.close();
chmodSync(join(dist, 'create-chancery.js'), 0o755);
