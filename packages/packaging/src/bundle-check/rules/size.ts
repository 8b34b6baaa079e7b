import { gzipSync } from 'node:zlib';
import type { BundleRule } from '../bundle-finding.ts';

/** Limit in bytes, because OLM stores an unpacked bundle in one ConfigMap, compressed and in base64. */
const MAX_BYTES = 1_048_576;
const NEARLY = 0.85;

/** The bundle must fit into one ConfigMap. */
export const size: BundleRule = {
  id: 'size',
  check({ files }) {
    const stored = [...files].map(([file, text]) => ({ file, bytes: storedBytes(text) }));
    const bytes = stored.reduce((sum, each) => sum + each.bytes, 0);
    const [largest] = stored.toSorted((a, b) => b.bytes - a.bytes);
    if (largest === undefined || bytes <= MAX_BYTES * NEARLY) return [];
    const isTooLarge = bytes > MAX_BYTES;
    return [
      {
        level: isTooLarge ? 'error' : 'warning',
        file: largest.file,
        path: '',
        wrong: `is the largest file of a bundle with ${bytes} bytes after compression, and OLM takes ${MAX_BYTES}`,
        todo: 'shorten the descriptions in the definitions',
      },
    ];
  },
};

function storedBytes(text: string): number {
  return Math.ceil(gzipSync(text).length / 3) * 4;
}
