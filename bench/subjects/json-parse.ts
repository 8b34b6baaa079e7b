/** A limit: `JSON.parse` alone, over lines that are strings already. */

import { profileNamed } from '../../test/support/load/profiles.ts';
import { World } from '../../test/support/load/world.ts';
import { configuration, imported, onExpectation, onReset, read, seen, synced } from './child.ts';

imported();
const world = new World(profileNamed(configuration.profile), configuration.objects);
let lines: readonly string[] = [];

onExpectation((burst) => {
  // Through bytes and back: strings as a client has them, in one piece.
  lines = Array.from(world.burstLines(burst), (line) => Buffer.from(line).toString('utf8'));
});
onReset(() => setImmediate(parse));
synced(configuration.objects);

function parse(): void {
  const startedNs = process.hrtime.bigint();
  for (const line of lines) read((JSON.parse(line) as { readonly object: object }).object);
  lines = [];
  seen(startedNs);
}
