/** Programs that only write down how they were called. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An npm that stages packages. */
const NPM = '11.19.1';

/** What publishing starts. */
export const ALL: readonly string[] = ['skopeo', 'cosign', 'npm', 'gh'];

/**
 * A folder with programs that write their name and first word into a log.
 *
 * @param failing - a program, or a program with its first word, that ends with 7. @param printing - what a program prints, by the beginning of its command.
 */
export function programs(
  names: readonly string[],
  {
    failing,
    printing = {},
  }: {
    readonly failing?: string | undefined;
    readonly printing?: Readonly<Record<string, string>>;
  } = {},
): { PATH: string; log: () => string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-programs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, 'log');
  writeFileSync(log, '');
  for (const name of names) {
    const printed = Object.entries({ 'npm --version': NPM, ...printing });
    const cases = [
      ...(failing === undefined ? [] : [`'${failing} '*) echo "the server said no" >&2; exit 7;;`]),
      ...printed.map(([words, text]) => `'${words}'*) echo '${text}';;`),
    ];
    const end = `case "${name} $* " in ${cases.join(' ')} *) ;; esac`;
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $1" >> ${log}\n${end}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return {
    PATH: folder,
    log: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
  };
}
