/**
 * `npm run generate -- api`: writes the API report of every public entry, and the tables of commands, metrics,
 * settings and tests in docs/. With `--check` it says which are not current.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { CLAIMS_PARTS } from '../docs/claims.ts';
import { COMMANDS_PART } from '../docs/commands-page.ts';
import { madePage, readPage, writePart } from '../docs/made-part.ts';
import {
  HOOKS_METRICS_PART,
  METACONTROLLER_METRICS_PART,
  METRICS_PART,
} from '../docs/metrics-page.ts';
import { SETTINGS_PART } from '../docs/settings-page.ts';
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
const PARTS = [
  COMMANDS_PART,
  METRICS_PART,
  HOOKS_METRICS_PART,
  METACONTROLLER_METRICS_PART,
  SETTINGS_PART,
  ...CLAIMS_PARTS,
];
for (const part of PARTS) {
  if (isCheck && madePage(part) === readPage(part)) continue;
  if (isCheck) process.exitCode = 1;
  else writePart(part);
  process.stdout.write(`docs/${part.page}: the ${part.of}${isCheck ? ', not current' : ''}\n`);
}
