/** curl on the same path, its output split into lines and searched for a name: for latencies. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { configuration, handled, imported, synced } from './child.ts';

imported();
const { pathOf } = await import('../../test/support/load/profile.ts');
const { profileNamed } = await import('../../test/support/load/profiles.ts');

const collection = `${configuration.url}${pathOf(profileNamed(configuration.profile))}`;
const url = `${collection}?watch=1`;
const curl = spawn('curl', ['--silent', '--no-buffer', url], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.once('exit', () => curl.kill());
let objects = 0;
createInterface({ input: curl.stdout }).on('line', (line) => {
  const [, name = ''] = /"name":"([^"]*)"/.exec(line) ?? [];
  handled(name);
  if (++objects === configuration.objects) synced(objects);
});
