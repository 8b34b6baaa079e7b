/**
 * Writes the files of `operator/model/kubernetes/` that are generated:
 *
 *     node test/support/kubernetes-schema/generate-types.ts
 */
import { writeFileSync } from 'node:fs';
import { readTypeData, typeFiles } from './type-files.ts';

for (const [name, text] of typeFiles(readTypeData())) {
  writeFileSync(new URL(`../../../operator/model/kubernetes/${name}`, import.meta.url), text);
}
