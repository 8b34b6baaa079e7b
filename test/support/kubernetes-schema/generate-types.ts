/**
 * Writes the files of `operator/model/kubernetes/` that are generated, and `operator/kubernetes.ts`:
 *
 *     node test/support/kubernetes-schema/generate-types.ts
 */
import { writeFileSync } from 'node:fs';
import { readTypeData } from './type-data.ts';
import { kubernetesEntry, typeFiles } from './type-files.ts';

const operator = new URL('../../../operator/', import.meta.url);
const files = typeFiles(readTypeData());
for (const [name, text] of files)
  writeFileSync(new URL(`model/kubernetes/${name}`, operator), text);
writeFileSync(new URL('kubernetes.ts', operator), kubernetesEntry(files));
