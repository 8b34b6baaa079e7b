import { parseArgs } from 'node:util';

export interface TryArguments {
  readonly name: string;
  readonly port: number;
}

export const DEFAULT_PORT = 8080;

export function usage(names: readonly string[]): string {
  return `usage: npm run example -- NAME [--port N]

Starts an example without a cluster, until Ctrl-C: an embedded API server on http://127.0.0.1:${DEFAULT_PORT}, in which
the Roles count that are generated for the example; kubectl proxy, with its generated filter; and the operator
behind it, in namespace demo. Then follow its README.

  NAME       ${names.join(', ')}
  --port N   of the API server; 0 for any that is free. Default: ${DEFAULT_PORT}
  --help     this text

Exits 0 after Ctrl-C, 1 when something fails, 2 for a wrong command line. KUBECTL names the kubectl to use.
`;
}

/** @returns the arguments, 'help', or what is wrong with the command line. */
export function parseTryArguments(
  words: readonly string[],
  names: readonly string[],
): TryArguments | 'help' | { readonly wrong: string } {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { port: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help === true) return 'help';
    const [name, ...more] = positionals;
    if (name === undefined) return { wrong: 'name an example' };
    if (more.length > 0) return { wrong: `one example at a time, not ${positionals.join(', ')}` };
    if (!names.includes(name)) return { wrong: `there is no example ${name}: ${names.join(', ')}` };
    const port = Number(values.port ?? DEFAULT_PORT);
    const isPort = Number.isInteger(port) && port >= 0 && port <= 65_535;
    return isPort ? { name, port } : { wrong: `--port ${values.port}: not a port` };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}
