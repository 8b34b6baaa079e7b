/** Where the time of an event goes: `npm run bench -- layers --help`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { profileNamed } from '../../test/support/load/profiles.ts';
import { World } from '../../test/support/load/world.ts';
import { machineLoad } from '../machine.ts';
import { type LayersArguments, parseLayersArguments, USAGE } from './arguments.ts';
import { LAYER_NAMES } from './layers.ts';
import { layersTable, type Measured } from './report.ts';
import type { LayerFigures } from './run-layer.ts';

const PROGRAM = fileURLToPath(new URL('run-layer.ts', import.meta.url));

const asked = parseLayersArguments(process.argv.slice(2));
if (asked === 'help') {
  process.stdout.write(USAGE);
} else if ('wrong' in asked) {
  process.stderr.write(`${asked.wrong}\n\n${USAGE}`);
  process.exitCode = 2;
} else {
  measure(asked);
}

function measure({ profile, objects, events, rounds, flags }: LayersArguments): void {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-layers-'));
  try {
    writeTraffic(folder, { profile, objects, events });
    const measured: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const name of round % 2 === 0 ? LAYER_NAMES : LAYER_NAMES.toReversed()) {
        process.stderr.write(`round ${round + 1} of ${rounds}: ${name}, load ${machineLoad()}\n`);
        const words = ['--expose-gc', ...flags, PROGRAM, name, folder];
        const printed = execFileSync(process.execPath, words, { encoding: 'utf8' });
        measured.push({ name, figures: JSON.parse(printed) as LayerFigures });
      }
    }
    process.stdout.write(`${layersTable(measured)}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes a file that fills a cache, and two files of changes. */
function writeTraffic(
  folder: string,
  { profile, objects, events }: Pick<LayersArguments, 'profile' | 'objects' | 'events'>,
): void {
  const world = new World(profileNamed(profile), objects);
  for (const [file, count] of [objects + 1, events, events].entries()) {
    const burst = { events: count, keys: objects, marker: `marker-${file}` };
    writeFileSync(join(folder, String(file)), Buffer.concat(world.burst(burst)));
  }
}
