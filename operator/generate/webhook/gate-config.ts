/** Where the gate finds its configuration, below its folder. */
export const GATE_CONFIG_FILE = 'gate.conf';

/** The configuration of the gate: one file. */
export function gateConfig({ paths }: { readonly paths: readonly string[] }): string {
  return paths.map((path) => `${path}\n`).join('');
}
