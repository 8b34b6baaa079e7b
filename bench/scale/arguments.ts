import { parseArgs } from 'node:util';

export interface ScaleArguments {
  readonly quick: boolean;
  /** Names of scenarios; empty for all. */
  readonly only: readonly string[];
  /** Where the Markdown goes; undefined for standard output. */
  readonly output: string | undefined;
  /** The folder of the plots. */
  readonly plots: string;
}

/** Where the documents look for them. */
export const DEFAULT_PLOTS = 'docs/plots';

export function usage(names: readonly string[]): string {
  return `usage: npm run bench -- scale [--quick] [--only NAME]... [--plots FOLDER] [-o FILE.md]

Measures how the costs of Chancery, as \`npm run build\` has made it, grow: with sources, objects, handlers
and controllers, and in a relist storm. Every run is a fresh process with a fresh load server. Writes
tables in Markdown with links to plots, which are SVG.

  --quick            fewer points, one round, 2 minutes at most. Default: 12 minutes at most
  --only NAME        a scenario; may come again. Default: all of ${names.join(', ')}
  --plots FOLDER     where the plots go. Default: ${DEFAULT_PLOTS}
  -o, --output FILE  where the Markdown goes, whose links are those of a document in docs/. Default:
                     standard output
  --help             this text

Progress goes to standard error. Exits 0 when everything has been measured, 1 when a run has failed, which
one does that loses an event, 2 for a wrong command line.
`;
}

/** @returns the arguments, 'help', or what is wrong with the command line. */
export function parseScaleArguments(
  words: readonly string[],
  names: readonly string[],
): ScaleArguments | 'help' | { readonly wrong: string } {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        plots: { type: 'string', default: DEFAULT_PLOTS },
        output: { type: 'string', short: 'o' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return 'help';
    const { quick, only, output, plots } = values;
    const unknown = only.find((name) => !names.includes(name));
    if (unknown !== undefined) {
      throw new Error(`no scenario is named ${unknown}; there are: ${names.join(', ')}`);
    }
    return { quick, only, output, plots };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}
