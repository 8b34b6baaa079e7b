import { parseArgs } from 'node:util';

export interface BenchArguments {
  readonly quick: boolean;
  /** Names of subjects, of works, or both; empty for all. */
  readonly only: readonly string[];
  readonly rounds: number;
  /** The folder of another checkout to compare with; undefined: measure the targets. */
  readonly against: string | undefined;
  /** The file for the report; undefined for standard output. */
  readonly output: string | undefined;
  /** The time limit of all runs in seconds. Runs that do not fit are left out; undefined: no limit. */
  readonly withinSeconds: number | undefined;
  /** The baseline file for `check` and `accept`; undefined: the committed one. */
  readonly baseline: string | undefined;
  readonly check: boolean;
  readonly accept: boolean;
}

const FULL_ROUNDS = 5;
const QUICK_ROUNDS = 3;
const AGAINST_ROUNDS = 15;
/** `--quick` may take five minutes; the remaining 10 s are for the start and the report. */
const QUICK_SECONDS = 290;

export const USAGE = `usage: npm run bench -- [--quick] [--only NAME]... [--rounds N] [-o report.md]
       npm run bench -- --against CHECKOUT [--only NAME]... [--rounds N] [-o report.md]

Measures Chancery, as \`npm run build\` has made it, side by side with other clients and with what the
machine can do at most. Every run is a fresh process with a fresh load server; runs alternate.

  --quick            what the targets need, in 5 minutes at most: rounds that do not fit are left out
  --only NAME        a subject or a work; may come again. Default: all
  --against CHECKOUT compare this checkout (new) with another one (old), which is built: see below
  --rounds N         how often each is run. Default ${FULL_ROUNDS}, with --quick ${QUICK_ROUNDS}, with --against ${AGAINST_ROUNDS}
  -o, --output FILE  where the report goes. Default: standard output
  --within SECONDS   leave out what does not fit. Default with --quick ${QUICK_SECONDS}, else no limit
  --check            fail when a ratio is worse than at the last release, beyond the noise
  --accept           make these ratios those of the last release
  --baseline FILE    where those are. Default: bench/baseline.json
  --help             this text

Before the first time: npm ci --prefix bench, and npm run build. KUBECTL names the kubectl to use.

--against runs each subject of Chancery as new and as old, one directly after the other, and client-node
in the same rounds. The report has one row for each figure: how many times better new is, with its 95 %
interval. CHECKOUT needs npm ci && npm run build. ${AGAINST_ROUNDS} rounds take about 40 minutes. It exits 1 as
described below, and when the lower end of an interval is below its bound.

Progress goes to standard error. Exits 0 when every target that was asked for has been
measured, met or not; 1 when one has not, when a run or --check has failed, or when something is not
installed; 2 for a wrong command line.
`;

/** @returns the arguments, 'help', or the mistake in the command line. */
export function parseBenchArguments(
  words: readonly string[],
  names: readonly string[],
): BenchArguments | 'help' | { readonly wrong: string } {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        rounds: { type: 'string' },
        against: { type: 'string' },
        output: { type: 'string', short: 'o' },
        within: { type: 'string' },
        baseline: { type: 'string' },
        check: { type: 'boolean', default: false },
        accept: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return 'help';
    const { quick, only, against, output, baseline, check, accept } = values;
    if (against !== undefined && (quick || check || accept || baseline !== undefined)) {
      throw new Error('--against goes with none of --quick, --check, --accept and --baseline');
    }
    const unknown = only.find((name) => !names.includes(name));
    if (unknown !== undefined) {
      throw new Error(`nothing is named ${unknown}; there are: ${names.join(', ')}`);
    }
    const usual = against !== undefined ? AGAINST_ROUNDS : quick ? QUICK_ROUNDS : FULL_ROUNDS;
    const rounds = whole('--rounds', values.rounds) ?? usual;
    const withinSeconds = whole('--within', values.within) ?? (quick ? QUICK_SECONDS : undefined);
    return { quick, only, against, output, withinSeconds, baseline, check, accept, rounds };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

function whole(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9][0-9]{0,4}$/.test(text)) return Number(text);
  throw new Error(`${option} must be a whole number from 1 to 99999, not ${JSON.stringify(text)}`);
}
