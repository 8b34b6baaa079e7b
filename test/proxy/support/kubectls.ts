import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import process from 'node:process';
import { findKubectls } from '../../../testing/src/ambassador/kubectl.ts';
import { pathOf } from '../../tools/tools.ts';

/** One row of the matrix. */
export interface Kubectl {
  readonly path: string;
  readonly minor: number;
  /** `1.33` */
  readonly name: string;
}

/**
 * Every kubectl of this machine, oldest first. Without one these tests fail: nothing can stand in for it.
 * What differs between versions is said in the tests by `minor`.
 */
export const KUBECTLS: readonly Kubectl[] = findKubectls(process.env).map((path) => {
  const minor = Number(/\.1\.(\d+)$/.exec(basename(path))?.[1] ?? minorSaidBy(path));
  return { path, minor, name: `1.${minor}` };
});

if (KUBECTLS.length === 0) pathOf('kubectl'); // throws, and says how to install it

/** What a binary says of itself. A provider's build says `33+` for 33. */
export function minorSaidBy(path: string): number {
  const said = execFileSync(path, ['version', '--client', '--output=json'], {
    env: { HOME: '/nonexistent', KUBECONFIG: '/dev/null' },
    encoding: 'utf8',
  });
  const { clientVersion } = JSON.parse(said) as { readonly clientVersion: { minor: string } };
  return Number.parseInt(clientVersion.minor, 10);
}
