/** `npm run api`: writes the API report of every public entry, and the commands in docs/starting.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCommandsPage } from '../docs/commands-page.ts';
import { REPORTS, reportFile, reportOf } from './report.ts';
import { ROOT, readSurfaces } from './surface.ts';

mkdirSync(join(ROOT, REPORTS), { recursive: true });
for (const surface of readSurfaces()) {
  const file = reportFile(surface.entry);
  writeFileSync(join(ROOT, file), reportOf(surface));
  process.stdout.write(`${file}: ${surface.exported.length} names\n`);
}
writeCommandsPage();
process.stdout.write('docs/starting.md: the commands\n');
