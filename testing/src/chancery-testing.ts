/**
 * `npx @chancery/testing`: runs the command `chancery apiserver` of the toolkit that this package
 * depends on, with the same options. On an old Node the toolkit's launcher reports the required
 * version.
 */
import { createRequire } from 'node:module';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

process.argv.splice(2, 0, 'apiserver');
const toolkit = createRequire(import.meta.url).resolve('chancery/package.json');
await import(new URL('operator/cli/chancery.js', pathToFileURL(toolkit)).href);
