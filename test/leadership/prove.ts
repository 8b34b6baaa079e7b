/** `npm run prove:leadership`: freezes leaders and looks whether they write when they wake. */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { frozenLeader } from './frozen-leader.ts';

const USAGE = `usage: npm run prove:leadership -- [--runs N]

Two replicas of an operator that writes all the time, with leader election (lease 6 s). The leader is
frozen with SIGSTOP until the other leads and writes, and woken with SIGCONT. A run is good when the
server has received no write of the woken process, an Event or a Lease included, and that process has
ended with exit code 3.

  --runs N   default 20; a run takes about 15 s
  --help     this text

One line a run on standard output. Exits 0 when every run was good, and 1 when one was not.
`;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs);
if (values.help || !Number.isInteger(runs) || runs < 1) {
  process.stdout.write(USAGE);
  process.exit(values.help ? 0 : 2);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
let bad = 0;
for (let run = 1; run <= runs; run++) {
  const { writesAfter, exit, loss, ...figures } = await frozenLeader((run - 1) / runs);
  const isGood = writesAfter.length === 0 && exit === 3;
  if (!isGood) bad++;
  const { layer, message } = (loss ?? {}) as { layer?: string; message?: string };
  const facts = { run, isGood, ...figures, writesAfter, exit, layer, message };
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}
process.stdout.write(`${runs - bad} of ${runs} runs were good\n`);
process.exit(bad === 0 ? 0 : 1);
