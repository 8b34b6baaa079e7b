/** `npm run prove -- faults`: explores operators with one fault each, and the same operators without it. */
import { availableParallelism, loadavg } from 'node:os';
import process from 'node:process';
import { isWhole, optionsOrExit } from '../../../test/scripts/options.ts';
import { ExplorationFailure } from '../../src/explore/exploration-failure.ts';
import { explore } from '../../src/explore/explore.ts';
import type { Scenario } from '../../src/explore/scenario/scenario.ts';
import { correctedScenario, type Fault, faultyScenario } from './faults/fault.ts';
import { FAULTS } from './faults/faults.ts';
import { HELD_OUT } from './faults/held-out.ts';

const USAGE = `usage: npm run prove -- faults [--only TEXT] [--held-out] [--seconds N] [--stories]

Explores small operators, each with one fault that a public bug report describes and that shows only in
some orders of events. explore() must find each within the time limit, in another order than the usual
one, and must find nothing in the same operator without the fault.

  --only TEXT   the faults whose name or source has TEXT in it; default all
  --held-out    the operators that explore() was not made with
  --seconds N   limit of each exploration; default 60
  --stories     prints each shortest schedule as a story
  --help        this text

One line for each exploration on standard output. Exits 0 when every fault is found and no corrected
operator fails, 1 when not, 2 for a wrong command line.
`;

const { only, seconds, stories, ...asked } = optionsOrExit(
  USAGE,
  {
    only: { type: 'string', default: '' },
    'held-out': { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
    stories: { type: 'boolean', default: false },
  },
  (values) => {
    if (!isWhole(values.seconds)) return `--seconds ${values.seconds}: not a whole number above 0`;
    return faultsNamed(values.only, values['held-out']).length > 0
      ? undefined
      : `--only ${values.only}: no fault has this in its name or source`;
  },
);

function faultsNamed(text: string, isHeldOut: boolean): readonly Fault[] {
  const all = isHeldOut ? HELD_OUT : FAULTS;
  return all.filter(({ name, source }) => `${name} ${source}`.includes(text));
}

interface Row {
  readonly failure: ExplorationFailure | undefined;
  /** What was covered, or how the failure was found. */
  readonly says: string;
}

async function explored(scenario: Scenario): Promise<Row> {
  const beganMs = performance.now();
  const took = (): string => `${((performance.now() - beganMs) / 1_000).toFixed(1)} s`;
  try {
    const options = { timeLimitMs: Number(seconds) * 1_000 };
    const { schedules, states, deviations, endedBy } = await explore(scenario, options);
    const covered = `${schedules} schedules, ${states} states, bound ${deviations}`;
    return { failure: undefined, says: `${covered}, ended by ${endedBy}, ${took()}` };
  } catch (error) {
    if (!(error instanceof ExplorationFailure)) throw error;
    const { deviations, invariant, message } = error;
    const tried = /schedule (\d+) that was tried/.exec(message)?.[1];
    return {
      failure: error,
      says: `${invariant}: ${deviations} deviations, schedule ${tried}, ${took()}`,
    };
  }
}

/** Whether both explorations of the fault went as they should. */
async function prove(fault: Fault): Promise<boolean> {
  process.stdout.write(`${fault.name} (${fault.source})\n`);
  const faulty = await explored(faultyScenario(fault));
  const isFound = (faulty.failure?.deviations ?? 0) > 0;
  process.stdout.write(`  ${isFound ? 'found ' : 'MISSED'}  ${faulty.says}\n`);
  if (stories && faulty.failure !== undefined) process.stdout.write(`${faulty.failure.story}\n`);
  const corrected = await explored(correctedScenario(fault));
  const holds = corrected.failure === undefined;
  process.stdout.write(`  ${holds ? 'passed' : 'FAILED'}  ${corrected.says}\n`);
  if (!holds) process.stdout.write(`${corrected.failure.message}\n`);
  return isFound && holds;
}

const matching = faultsNamed(only, asked['held-out']);
let proven = 0;
for (const fault of matching) if (await prove(fault)) proven += 1;
const machine = `${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`;
process.stdout.write(
  `${proven} of ${matching.length} faults found, and passed without (${machine})\n`,
);
process.exit(proven === matching.length ? 0 : 1);
