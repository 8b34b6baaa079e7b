#!/usr/bin/env node
/**
 * Starts the command line: from the sources in a checkout, from `dist/` in the published package.
 * Plain JavaScript that old versions of Node can run, too, so that they can report that they are
 * too old.
 */
import { existsSync } from 'node:fs';
import module from 'node:module';
import process from 'node:process';

/**
 * The first version of Node with `using`, which the built package uses, and `await using`, which
 * tests use. Must equal `engines` in package.json.
 */
const MINIMUM = [24, 0];

const found = process.versions.node;
if (isTooOld(found)) {
  process.stderr.write(
    `chancery: Node.js ${MINIMUM.join('.')} or newer is needed, this is ${found}. Add one to the project, ` +
      'npm i -D node@24, and start chancery by npx or from a script of package.json\n',
  );
  process.exitCode = 2;
} else {
  // Node caches compiled code and modules without their types in the folder for temporary files, or
  // in NODE_COMPILE_CACHE. A module in TypeScript then loads in half of the time. If Node cannot write
  // there, it works without a cache. NODE_DISABLE_COMPILE_CACHE=1 turns the cache off.
  module.enableCompileCache();
  // kubebuilder starts three of these processes per command, so they do not load the command line.
  const isPlugin = process.argv.slice(2).join(' ') === 'plugin kubebuilder';
  const main = isPlugin ? 'plugin/main' : 'main';
  const source = new URL(`${main}.ts`, import.meta.url);
  const built = new URL(`../../dist/operator/cli/${main}.js`, import.meta.url);
  await import(existsSync(source) ? source.href : built.href);
}

/** @param {string} version */
function isTooOld(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1]);
}
