/** `npm run prove -- leadership`: freezes leaders and looks whether they write when they wake. */
import process from 'node:process';
import { isWhole, optionsOrExit } from '../scripts/options.ts';
import { type FrozenLeaderReport, frozenLeader } from './frozen-leader.ts';
import { frozenStandby, STEPS } from './frozen-standby.ts';

const USAGE = `usage: npm run prove -- leadership [--on-lost exit|standby|both] [--runs N] [--parallel N]

Two replicas of an operator that writes all the time, with leader election (lease 6 s). The leader is
frozen with SIGSTOP until the other leads and writes, and woken with SIGCONT.

exit: a run is good when the server has received no write of the woken process, an Event or a Lease
included, and that process has ended with exit code 3.

standby: with CHANCERY_ON_LEADERSHIP_LOST=standby. The process is frozen at each step in turn: writing,
renewing, waking, standing, acquiring. A run is good when the server has received no write of it between
the first write of the other leader and its own next Lease, when it leads and writes again after the
other has stopped, and when it ends with exit code 0.

  --on-lost WAY  default exit
  --runs N       of each way; default 20; a run takes about 15 s
  --parallel N   runs side by side, whose writers then pause for 20 ms between writes; default 1
  --help         this text

One line a run on standard output. Exits 0 when every run was good, and 1 when one was not.
`;

const WAYS: Readonly<Record<string, readonly string[]>> = {
  exit: ['exit'],
  standby: ['standby'],
  both: ['exit', 'standby'],
};
const values = optionsOrExit(
  USAGE,
  {
    'on-lost': { type: 'string', default: 'exit' },
    runs: { type: 'string', default: '20' },
    parallel: { type: 'string', default: '1' },
  },
  (asked) => {
    if (WAYS[asked['on-lost']] === undefined) return '--on-lost takes exit, standby or both';
    const areWhole = isWhole(asked.runs) && isWhole(asked.parallel);
    return areWhole ? undefined : '--runs and --parallel take a whole number, 1 or more';
  },
);
const [runs, parallel] = [Number(values.runs), Number(values.parallel)];
const ways = WAYS[values['on-lost']] ?? [];

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** Several pairs leave each other the cores. */
const options = parallel > 1 ? { environment: { WRITER_PAUSE_MS: '20' } } : {};

interface Turn {
  readonly way: string;
  readonly run: number;
}

async function isGood({ way, run }: Turn): Promise<boolean> {
  const moment = (run - 1) / runs;
  try {
    const report: FrozenLeaderReport =
      way === 'exit'
        ? await frozenLeader(moment, options)
        : await frozenStandby(STEPS[(run - 1) % STEPS.length] ?? 'writing', moment, options);
    const { writesAfter, exit, loss, ...figures } = report;
    const isGood = writesAfter.length === 0 && exit === (way === 'exit' ? 3 : 0);
    const { layer, message } = (loss ?? {}) as { layer?: string; message?: string };
    const facts = { way, run, isGood, ...figures, writesAfter, exit, layer, message };
    process.stdout.write(`${JSON.stringify(facts)}\n`);
    return isGood;
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    process.stdout.write(`${JSON.stringify({ way, run, isGood: false, failure })}\n`);
    return false;
  }
}

const turns = ways.flatMap((way) => Array.from({ length: runs }, (_, n) => ({ way, run: n + 1 })));
const good = new Map(ways.map((way) => [way, 0]));
const waiting = turns.values();
await Promise.all(
  Array.from({ length: parallel }, async () => {
    for (const turn of waiting) {
      if (await isGood(turn)) good.set(turn.way, (good.get(turn.way) ?? 0) + 1);
    }
  }),
);
for (const [way, count] of good)
  process.stdout.write(`${way}: ${count} of ${runs} runs were good\n`);
process.exit([...good.values()].every((count) => count === runs) ? 0 : 1);
