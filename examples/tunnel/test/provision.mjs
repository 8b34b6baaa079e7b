/** A provisioner as a program: what it is told to be by its first argument. */
import { renameSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

const [, , kind, ...words] = process.argv;
const request = JSON.parse(await text(process.stdin));
const answer = (value) => process.stdout.write(JSON.stringify(value));

if (kind === 'echo') {
  // The arguments are shown, so that a test sees that no secret is among them.
  const id = `${request.action} ${request.uid} ${words.join(' ')}`;
  if (request.action === 'find' && request.uid === 'unknown') answer({ host: null });
  else answer({ host: { id, status: 'active', ip: '192.0.2.9' } });
} else if (kind === 'environment') {
  answer({ host: { id: Object.keys(process.env).sort().join(), status: 'provisioning' } });
} else if (kind === 'complain') {
  answer({ error: `no quota for ${request.token}` });
  process.exitCode = 3;
} else if (kind === 'crash') {
  process.stderr.write(`panic: ${request.token}\n`);
  process.exitCode = 4;
} else if (kind === 'flood') {
  process.stdout.write('x'.repeat(200_000));
} else if (kind === 'hang') {
  const [note] = words; // who it is, all of it at once
  writeFileSync(`${note}.new`, String(process.pid));
  renameSync(`${note}.new`, note);
  setInterval(() => {}, 1_000);
} else if (kind === 'wrong') {
  answer({ host: { id: 'h', status: 'active', ip: '1.2.3.4 --upstream=evil' } });
}
