/**
 * Writes the files of `operator/model/kubernetes/` that are generated, `operator/kubernetes.ts`, and
 * `operator/controller/object-shape/built-in-lists.ts`:
 *
 *     npm run generate -- kubernetes
 */
import { writeFileSync } from 'node:fs';
import { listFile } from './list-file.ts';
import { readTypeData } from './type-data.ts';
import { kubernetesEntry, typeFiles } from './type-files.ts';

const operator = new URL('../../../operator/', import.meta.url);
const data = readTypeData();
const files = typeFiles(data);
for (const [name, text] of files)
  writeFileSync(new URL(`model/kubernetes/${name}`, operator), text);
writeFileSync(new URL('kubernetes.ts', operator), kubernetesEntry(files));
writeFileSync(new URL('controller/object-shape/built-in-lists.ts', operator), listFile(data));
