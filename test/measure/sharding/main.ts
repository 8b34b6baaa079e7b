/**
 * What replicas that share the work gain and cost: `npm run measure -- sharding`. Variants take turns, and each ratio is
 * of one round. See docs/performance.md.
 */
import process from 'node:process';
import { isWhole, optionsOrExit } from '../../scripts/options.ts';
import { machineLoad } from '../figures.ts';
import { CORES } from './processes.ts';
import { measureShares } from './shares.ts';
import { measureSingle } from './single.ts';
import { type Findings, isMet, report } from './verdicts.ts';
import { measureWork } from './work.ts';

const MEASUREMENTS = { work: measureWork, shares: measureShares, single: measureSingle };

const USAGE = `usage: npm run measure -- sharding [--only NAME,...] [--built] [--rounds N] [--keys N] [--cpu-ms N] [--objects N]
         [--bytes N] [--light-keys N] [--idle-seconds N] [--lease-seconds N]

Runs replicas of an operator as processes on the embedded API server, which is a process of its own:

  work    2 replicas against 1, when each key takes CPU
  shares  bytes received and peak memory of one of 4 replicas against one that holds all; what a second replica costs
  single  CPU of one replica with sharding against a leader

Each replica is pinned to a core by taskset (Debian: util-linux) where it is installed. Linux only. It takes about 8
minutes a round. Exits 0 when every target is met, and 1 when one is missed.

  --only NAME,...     default work,shares,single
  --built             run what npm run build has made; default: the sources, which take 30 MB more memory
  --rounds N          default 3
  --keys N            for work; default 400
  --cpu-ms N          CPU of each of them; default 20
  --objects N         for shares; default 100000
  --bytes N           of each of them; default 2000
  --light-keys N      for single; default 3000
  --idle-seconds N    for single; default 30
  --lease-seconds N   of all Leases, a multiple of 3, at least 6; default 15
  --help              this text
`;

const values = optionsOrExit(
  USAGE,
  {
    only: { type: 'string', default: 'work,shares,single' },
    built: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    keys: { type: 'string', default: '400' },
    'cpu-ms': { type: 'string', default: '20' },
    objects: { type: 'string', default: '100000' },
    bytes: { type: 'string', default: '2000' },
    'light-keys': { type: 'string', default: '3000' },
    'idle-seconds': { type: 'string', default: '30' },
    'lease-seconds': { type: 'string', default: '15' },
  },
  ({ built: _built, only, ...numbers }) => {
    const unknown = only.split(',').find((name) => !Object.hasOwn(MEASUREMENTS, name));
    if (unknown !== undefined) return `--only knows work, shares and single, and not "${unknown}"`;
    const wrong = Object.entries(numbers).find(([, text]) => !isWhole(text));
    if (wrong !== undefined) return `--${wrong[0]} takes a whole number, 1 or more`;
    const lease = Number(numbers['lease-seconds']);
    return lease >= 6 && lease % 3 === 0 ? undefined : '--lease-seconds takes 6, 9, 12 …';
  },
);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const settings = {
  rounds: Number(values.rounds),
  keys: Number(values.keys),
  cpuMs: Number(values['cpu-ms']),
  lightKeys: Number(values['light-keys']),
  idleSeconds: Number(values['idle-seconds']),
  objects: Number(values.objects),
  bytes: Number(values.bytes),
  leaseSeconds: Number(values['lease-seconds']),
  isBuilt: values.built,
  progress: (line: string) => process.stderr.write(`${line}; load ${machineLoad()}\n`),
};
const pinned =
  CORES.length === 0
    ? 'processes are not pinned: taskset is not here (Debian: util-linux)'
    : `replicas pinned to the cores ${CORES.join(', ')}`;
process.stdout.write(
  `Node ${process.version}, ${values.built ? 'built' : 'sources'}, ${pinned}; load ${machineLoad()}\n\n`,
);
const targets: Findings['targets'][number][] = [];
const figures: Findings['figures'][number][] = [];
for (const [name, measure] of Object.entries(MEASUREMENTS)) {
  if (!values.only.split(',').includes(name)) continue;
  const found = await measure(settings);
  targets.push(...found.targets);
  figures.push(...found.figures);
}
process.stdout.write(report({ targets, figures }));
process.stdout.write(`\nload ${machineLoad()}\n`);
process.exit(targets.every(isMet) ? 0 : 1);
