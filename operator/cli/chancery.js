#!/usr/bin/env node
/**
 * Starts the command line: from the sources in a checkout, from `dist/` in the published package.
 * Plain JavaScript that old versions of Node understand too, so that they get an answer.
 */
import { existsSync } from 'node:fs';
import module from 'node:module';
import process from 'node:process';

/** The first that knows `using`, which the built package has, and `await using`, which tests have. Equal to `engines`. */
const MINIMUM = [24, 0];

const found = process.versions.node;
if (isTooOld(found)) {
  process.stderr.write(
    `chancery: Node.js ${MINIMUM.join('.')} or newer is needed, this is ${found}. Add one to the project, ` +
      'npm i -D node@24, and start chancery by npx or from a script of package.json\n',
  );
  process.exitCode = 2;
} else {
  // Node keeps what it has compiled, and the types that it has stripped, in the folder for temporary
  // files or where NODE_COMPILE_CACHE says, and does without where it cannot: a module in TypeScript is
  // there in half of the time. NODE_DISABLE_COMPILE_CACHE=1 turns it off.
  module.enableCompileCache();
  // kubebuilder waits for three of these at each of its commands, so they do not load the command line.
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
