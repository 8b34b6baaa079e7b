/** `npm run prove -- sharding`: replicas share the work while they are killed, frozen and cut off. */
import process from 'node:process';
import { Random } from '../convergence/random.ts';
import { isWhole, optionsOrExit } from '../scripts/options.ts';
import { storm, UNOWNED_BOUND_MS } from './storm.ts';

const USAGE = `usage: npm run prove -- sharding [--replicas N] [--objects N] [--seconds N] [--every N] [--seed N]

Replicas of an operator, as processes, share the keys in 16 groups (lease 10 s, renewal every 2 s), and objects change
all the time. Every few seconds one of them has a fault: it is killed and comes back after 2 s or 20 s, it is frozen for 5
to 20 s and woken, its proxy answers nothing for 20 s, or its proxy is dead for 20 s. Two replicas always work.

The server's log decides. Exits 0 when it has none of these:

  overlaps   an object that two replicas were writing at the same time
  strangers  a write that was sent, stored or answered while the Lease of its group named another replica, or none
  stepsBack  a mirror that shows an older change than before
  missed     a mirror that does not show the last change of its object in the end
  ended      a replica that ended by itself

and when no group was without an owner for longer than the bound: a lease, five looks at the Leases and two seconds.

  --replicas N  default 8
  --objects N   default 2000
  --seconds N   default 300
  --every N     seconds between two faults; default 5
  --seed N      of the faults; default 1
  --help        this text
`;

const GROUPS = 16;
const SHOWN = 10;
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
const { ended, missed, overlaps, stepsBack, strangers, ...figures } = report;
const wrong = { overlaps, strangers, stepsBack, missed, ended };
const counts = Object.entries(wrong).map(([name, all]) => [name, all.length] as const);
process.stdout.write(
  `${JSON.stringify({ ...Object.fromEntries(counts), ...figures, unownedBoundMs: UNOWNED_BOUND_MS })}\n`,
);
for (const [name, all] of Object.entries(wrong)) {
  for (const line of all.slice(0, SHOWN)) process.stdout.write(`${name}: ${line}\n`);
}
const isGood =
  counts.every(([, count]) => count === 0) && report.longestUnownedMs <= UNOWNED_BOUND_MS;
process.exit(isGood ? 0 : 1);
