import { parseArgs } from 'node:util';

export interface SoakArguments {
  readonly minutes: number;
  readonly seed: number;
  /** How many times as fast the operator's clock runs. */
  readonly speed: number;
}

export const USAGE = `usage: npm run soak -- [--minutes N] [--seed N] [--speed N]

Runs informers and a controller against an embedded API server behind a real kubectl proxy, breaks
everything in between once a second or two, and checks every 20 seconds that nothing was lost.

  --minutes N   how long; may be a fraction. Default 10
  --seed N      repeats the choices of an earlier run. Default: another one each time
  --speed N     how many times as fast the clock of operator and server runs. Default 20
  --help        this text

Progress goes to standard error, the result to standard output. Exits 0 when every target is met,
1 when one is missed, 2 for a wrong command line. KUBECTL names the kubectl to use.
`;

/** @returns the arguments, 'help', or what is wrong with the command line. */
export function parseSoakArguments(
  words: readonly string[],
): SoakArguments | 'help' | { readonly wrong: string } {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        minutes: { type: 'string', default: '10' },
        seed: { type: 'string', default: String(Date.now() % 1_000_000) },
        speed: { type: 'string', default: '20' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return 'help';
    return {
      minutes: numberIn('minutes', values.minutes, 0.1, 10_000),
      seed: numberIn('seed', values.seed, 0, 2 ** 32),
      speed: numberIn('speed', values.speed, 1, 100),
    };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

function numberIn(name: string, text: string, from: number, to: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= from && value <= to) return value;
  throw new Error(`--${name} must be a number from ${from} to ${to}, not ${JSON.stringify(text)}`);
}
