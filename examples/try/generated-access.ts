import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { AmbassadorFilter } from '@chancery/testing';

const CLI = fileURLToPath(new URL('../../operator/cli/main.ts', import.meta.url));

/** What `chancery generate` writes for a folder of hooks. */
export interface HooksAccess {
  /** Roles and bindings for the ServiceAccount `name`, as YAML. */
  readonly roles: string;
  readonly filter: AmbassadorFilter;
}

/** @param watch - as `--watch` of `chancery generate`. */
export function hooksAccess(
  hooks: string,
  { name, namespace, watch }: { name: string; namespace: string; watch: 'own' | 'all' },
): HooksAccess {
  const placed = ['--hooks', hooks, '--name', name, '--namespace', namespace, '--watch', watch];
  return {
    roles: generated(['rbac', ...placed]),
    filter: filterOf(generated(['proxy', ...placed])),
  };
}

function generated(words: readonly string[]): string {
  const args = [CLI, 'generate', ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`chancery generate ${words[0]} ended with ${status}: ${stderr}`);
  return stdout;
}

/** The arguments of kubectl proxy, one a line. */
function filterOf(args: string): AmbassadorFilter {
  const of = (flag: string): readonly string[] =>
    new RegExp(`--${flag}=(\\S*)`).exec(args)?.[1]?.split(',') ?? [];
  return {
    acceptPaths: of('accept-paths'),
    rejectPaths: of('reject-paths'),
    rejectMethods: of('reject-methods'),
  };
}
