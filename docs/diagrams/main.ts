/** `npm run generate -- diagrams`: draws docs/diagrams/*.dot into docs/images/. */
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { pictures } from './draw.ts';

for (const { name, svg } of await pictures()) {
  const file = `docs/images/${name}.svg`;
  writeFileSync(new URL(`../../${file}`, import.meta.url), svg);
  process.stdout.write(`${file}\n`);
}
