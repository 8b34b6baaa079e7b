/**
 * `npm run generate -- api`: writes the API report of every public entry, and the commands in docs/starting.md. With
 * `--check` it says which are not current.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { readCommandsPage, withCommands, writeCommandsPage } from '../docs/commands-page.ts';
import { REPORTS, reportFile, reportOf } from './report.ts';
import { ROOT, readSurfaces } from './surface.ts';

const isCheck = process.argv.includes('--check');
mkdirSync(join(ROOT, REPORTS), { recursive: true });
for (const surface of readSurfaces()) {
  const file = reportFile(surface.entry);
  const report = reportOf(surface);
  if (!isCheck) writeFileSync(join(ROOT, file), report);
  else if (readFileSync(join(ROOT, file), 'utf8') !== report) process.exitCode = 1;
  else continue;
  process.stdout.write(
    `${file}: ${surface.exported.length} names${isCheck ? ', not current' : ''}\n`,
  );
}
const page = readCommandsPage();
if (!isCheck) writeCommandsPage();
if (!isCheck || withCommands(page) !== page) {
  if (isCheck) process.exitCode = 1;
  process.stdout.write(`docs/starting.md: the commands${isCheck ? ', not current' : ''}\n`);
}
