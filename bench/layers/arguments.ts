import { parseArgs } from 'node:util';
import { PROFILES, type ProfileName } from '../../test/support/load/profiles.ts';

export interface LayersArguments {
  readonly profile: ProfileName;
  readonly objects: number;
  /** Number of events in each of two bursts. */
  readonly events: number;
  readonly rounds: number;
  /** Flags of Node for every layer. */
  readonly flags: readonly string[];
}

export const USAGE = `usage: npm run bench -- layers [--profile NAME] [--objects N] [--events N] [--rounds N] [--flag=FLAG]...

Measures the CPU time of a watch event layer by layer, without a socket: lines, strings, JSON.parse, what is
kept, the toolkit's cache. Every run is a fresh process, and rounds alternate. Prints a table in Markdown: the
median of the microseconds for each event, and the part that the garbage collector took.

  --profile NAME  ${Object.keys(PROFILES).join(', ')}. Default: config-map
  --objects N     objects. Default: 50000
  --events N      events in each of two bursts. Default: 200000
  --rounds N      how often. Default: 5
  --flag=FLAG     a flag of Node, such as --flag=--max-semi-space-size=16; may come again
  --help          this text

Progress goes to standard error. Exits 0 when everything has been measured, 2 for a wrong command line.
`;

/** @returns the arguments, 'help', or what is wrong with the command line. */
export function parseLayersArguments(
  words: readonly string[],
): LayersArguments | 'help' | { readonly wrong: string } {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        profile: { type: 'string', default: 'config-map' },
        objects: { type: 'string', default: '50000' },
        events: { type: 'string', default: '200000' },
        rounds: { type: 'string', default: '5' },
        flag: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return 'help';
    if (!Object.hasOwn(PROFILES, values.profile)) {
      const known = Object.keys(PROFILES).join(', ');
      throw new Error(`no profile is named ${values.profile}; there are: ${known}`);
    }
    return {
      profile: values.profile as ProfileName,
      objects: countIn('--objects', values.objects),
      events: countIn('--events', values.events),
      rounds: countIn('--rounds', values.rounds),
      flags: values.flag,
    };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

function countIn(option: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new Error(`${option} must be a whole number above 0, not ${text}`);
}
