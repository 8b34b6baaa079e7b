/** `npm run prove -- sharding`: replicas share the work while they are killed, frozen and cut off. */
import process from 'node:process';
import { Random } from '../convergence/random.ts';
import { TIMING } from '../leadership/replicas.ts';
import { isWhole, optionsOrExit } from '../scripts/options.ts';
import { storm } from './storm.ts';

const USAGE = `usage: npm run prove -- sharding [--replicas N] [--objects N] [--seconds N] [--every N] [--seed N]

Replicas of an operator, as processes, share the keys in 16 groups (lease 6 s), and objects change all the time. Every few
seconds one of them is killed and started again, or frozen for two leases and woken, or loses its proxy for as long.

Exits 0 when no object was written by two replicas at the same time, and every mirror shows the last change of its object
in the end. The log of the server's side decides.

  --replicas N  default 8
  --objects N   default 2000
  --seconds N   default 300
  --every N     seconds between two faults; default 5
  --seed N      of the faults; default 1
  --help        this text
`;

const GROUPS = 16;
const values = optionsOrExit(
  USAGE,
  {
    replicas: { type: 'string', default: '8' },
    objects: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '300' },
    every: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
  },
  (asked) =>
    Object.values(asked).every(isWhole) ? undefined : 'each option takes a whole number, 1 or more',
);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const report = await storm({
  replicas: Number(values.replicas),
  objects: Number(values.objects),
  groups: GROUPS,
  seconds: Number(values.seconds),
  everySeconds: Number(values.every),
  random: new Random(Number(values.seed)),
  progress: (line) => process.stderr.write(`${line}\n`),
});
const boundMs = (TIMING.leaseSeconds + 3 * TIMING.retryPeriodSeconds) * 1_000;
process.stdout.write(
  `${JSON.stringify({ ...report, overlaps: report.overlaps.length, missed: report.missed.length, boundMs })}\n`,
);
for (const name of report.overlaps.slice(0, 10)) process.stdout.write(`two writers: ${name}\n`);
for (const name of report.missed.slice(0, 10)) process.stdout.write(`missed: ${name}\n`);
process.exit(report.overlaps.length + report.missed.length === 0 ? 0 : 1);
