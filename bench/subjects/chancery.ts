import { pathToFileURL } from 'node:url';

const { CHANCERY_ENTRY: path = '' } = process.env;
const entry = pathToFileURL(path);
const isSource = path.endsWith('.ts');

/** The public entry of the built package, found by whoever starts us, as its types say. */
export const chancery = (await import(entry.href)) as typeof import('../../operator/index.ts');

/** Its low-level entry, from the same build, or from the same sources. */
export const lowLevel = (await import(
  new URL(isSource ? 'low-level.ts' : 'low-level.js', entry).href
)) as typeof import('../../operator/low-level.ts');

/** What the subjects need beside them, from the same build, or from the same sources. */
export const internals = (await import(
  new URL(isSource ? '../bench/internals.ts' : 'internal-bench.js', entry).href
)) as typeof import('../internals.ts');
