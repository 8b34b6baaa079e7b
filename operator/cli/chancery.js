#!/usr/bin/env node
/**
 * Starts the command line: from the sources in a checkout, from `dist/` in the published package.
 * Plain JavaScript that old versions of Node understand too, so that they get an answer.
 */
import { existsSync } from 'node:fs';
import process from 'node:process';

/** What undici needs; it strips types and knows module hooks as well. Equal to `engines`. */
const MINIMUM = [22, 20];

const found = process.versions.node;
if (isTooOld(found)) {
  process.stderr.write(
    `chancery: Node.js ${MINIMUM.join('.')} or newer is needed, this is ${found}\n`,
  );
  process.exitCode = 2;
} else {
  const source = new URL('main.ts', import.meta.url);
  const built = new URL('../../dist/operator/cli/main.js', import.meta.url);
  await import(existsSync(source) ? source.href : built.href);
}

/** @param {string} version */
function isTooOld(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1]);
}
