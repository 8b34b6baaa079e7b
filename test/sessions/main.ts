/** `npm run generate -- sessions`: runs the sessions, and draws them into docs/images/. It needs kubectl. */
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { record, SESSIONS } from './sessions.ts';
import { drawTerminal } from './terminal-picture.ts';

for (const session of SESSIONS) {
  const file = `docs/images/${session.name}.svg`;
  writeFileSync(new URL(`../../${file}`, import.meta.url), drawTerminal(await record(session)));
  process.stdout.write(`${file}\n`);
}
