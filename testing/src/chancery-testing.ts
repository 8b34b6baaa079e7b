/**
 * `npx @chancery/testing`: the command `chancery apiserver` of the toolkit that this package depends on, with the same
 * options. The launcher of the toolkit also tells an old Node what is needed.
 */
import { createRequire } from 'node:module';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

process.argv.splice(2, 0, 'apiserver');
const toolkit = createRequire(import.meta.url).resolve('chancery/package.json');
await import(new URL('operator/cli/chancery.js', pathToFileURL(toolkit)).href);
