/** `npm run prove -- crashes`: kills real processes of the sample operators between any two of their calls. */
import { availableParallelism, loadavg } from 'node:os';
import process from 'node:process';
import { type CrashPoint, crashPoints } from '@chancery/testing';
import { optionsOrExit } from '../scripts/options.ts';
import { crashScenario } from './sample.ts';
import { samples } from './samples.ts';

const USAGE = `usage: npm run prove -- crashes [--only TEXT]

Runs each sample operator as a process of its own, again and again, and ends it with SIGKILL: before
its first call is sent, after that was carried out and before the answer, before the second, and so on
to the last. Started again it must come to the expected end: nothing leaked, made twice or lost.

  --only TEXT   the samples whose name has TEXT in it; default all:
${samples.map(({ name }) => `                  ${name}\n`).join('')}  --help        this text

One line for each place on standard output, as it passes. A sample ends at its first failure. Exits 0
when every place of every sample has passed, 1 when one has not, 2 for a wrong command line.
`;

function samplesNamed(text: string): typeof samples {
  return samples.filter(({ name }) => name.includes(text));
}

function placeOf({ when, nth, call }: CrashPoint): string {
  const { verb, resource, subresource, name = '' } = call;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  return `${when.padEnd(6)} call ${nth}: ${verb} ${what} ${name}`.trimEnd();
}

const { only } = optionsOrExit(USAGE, { only: { type: 'string', default: '' } }, (asked) =>
  samplesNamed(asked.only).length > 0
    ? undefined
    : `--only ${asked.only}: no sample has this in its name`,
);
const matching = samplesNamed(only);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
const startedAt = performance.now();
let passed = 0;
let failed = 0;
for (const sample of matching) {
  process.stdout.write(`${sample.name}\n`);
  let at = performance.now();
  try {
    await crashPoints({
      ...crashScenario(sample, 'as a process'),
      passed(point) {
        passed += 1;
        const now = performance.now();
        process.stdout.write(`  passed ${placeOf(point)} (${((now - at) / 1_000).toFixed(1)} s)\n`);
        at = now;
      },
    });
  } catch (error) {
    failed += 1;
    process.stdout.write(`  FAILED ${(error as Error).message}\n`);
  }
}
const seconds = Math.round((performance.now() - startedAt) / 1_000);
const machine = `${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`;
process.stdout.write(
  `${passed} places passed in ${seconds} s (${machine}), ${failed} of ${matching.length} samples failed\n`,
);
process.exit(failed === 0 ? 0 : 1);
