import { parseArgs } from 'node:util';

export interface DemoArguments {
  readonly changes: number;
  readonly objects: number;
  /** Runs that it takes at least. */
  readonly runs: number;
}

export const USAGE = `usage: npm run prove -- hooks [--changes N] [--objects N] [--runs N]

Changes ConfigMaps while a hook of 20 lines of bash acts on them, and kills kubectl proxy, the API server and the
leader in turn. Prints what was missed, repeated and doubled. Needs bash, jq and kubectl, or KUBECTL.

  --changes N   changes in all; default 1000
  --objects N   ConfigMaps, each with a Deployment; default 100
  --runs N      runs that the hook must have made at least; default 200
  --help        this text

Exits 0 when nothing was missed, no repeated run is without a kill that explains it, no effect came twice and the hook
saw no token; 1 otherwise; 2 for a wrong command line.
`;

/** @returns the arguments, 'help', or what is wrong with the command line. */
export function parseDemoArguments(
  words: readonly string[],
): DemoArguments | 'help' | { readonly wrong: string } {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        changes: { type: 'string', default: '1000' },
        objects: { type: 'string', default: '100' },
        runs: { type: 'string', default: '200' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) return 'help';
    const numbers = Object.entries({
      changes: values.changes,
      objects: values.objects,
      runs: values.runs,
    }).map(([name, text]) => {
      if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} takes a whole number, not ${text}`);
      return [name, Number(text)];
    });
    return Object.fromEntries(numbers) as DemoArguments;
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}
