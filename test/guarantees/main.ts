/** `npm run generate -- guarantees`: writes the page of guarantees. With `--check` it says whether it is current. */
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { filesByTag, GUARANTEES, pageOf, readStatements } from './guarantees.ts';

const page = new URL(`../../${GUARANTEES}`, import.meta.url);
const text = pageOf(readStatements(), filesByTag());

if (!process.argv.includes('--check')) {
  writeFileSync(page, text);
  process.stdout.write(`${GUARANTEES} is written\n`);
} else if (readFileSync(page, 'utf8') !== text) {
  process.stdout.write(`${GUARANTEES} is not current\n`);
  process.exitCode = 1;
}
