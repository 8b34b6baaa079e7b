import { pathToFileURL } from 'node:url';

const { CHANCERY_ENTRY: entry = '' } = process.env;

/** The public entry of the built package, found by whoever starts us, as its types say. */
export const chancery = (await import(
  pathToFileURL(entry).href
)) as typeof import('../../operator/index.ts');
