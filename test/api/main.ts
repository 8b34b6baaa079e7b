/** `npm run api`: writes the API report of every public entry. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPORTS, reportFile, reportOf } from './report.ts';
import { ROOT, readSurfaces } from './surface.ts';

mkdirSync(join(ROOT, REPORTS), { recursive: true });
for (const surface of readSurfaces()) {
  const file = reportFile(surface.entry);
  writeFileSync(join(ROOT, file), reportOf(surface));
  process.stdout.write(`${file}: ${surface.exported.length} names\n`);
}
