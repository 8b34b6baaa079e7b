import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { AmbassadorFilter } from '@chancery/testing';

const CLI = fileURLToPath(new URL('../../operator/cli/main.ts', import.meta.url));

/** What `chancery generate` writes for what is no module. */
export interface GeneratedAccess {
  /** Roles and bindings for the ServiceAccount `name`, as YAML. */
  readonly roles: string;
  readonly filter: AmbassadorFilter;
}

export interface Placed {
  readonly name: string;
  readonly namespace: string;
  /** As `--watch` of `chancery generate`. */
  readonly watch: 'own' | 'all';
}

export function hooksAccess(hooks: string, placed: Placed): GeneratedAccess {
  return access(['--hooks', hooks], placed);
}

/** @param folder - of the example, with `controllers/`, `functions/functions.yaml` and `crds/`. */
export function metacontrollerAccess(folder: string, placed: Placed): GeneratedAccess {
  const controllers = ['--from-metacontroller', `${folder}controllers`];
  const functions = ['--functions', `${folder}functions/functions.yaml`];
  return access([...controllers, ...functions, '--crd', `${folder}crds`, '--install-crds'], placed);
}

function access(given: readonly string[], { name, namespace, watch }: Placed): GeneratedAccess {
  const words = [...given, '--name', name, '--namespace', namespace, '--watch', watch];
  return {
    roles: generated(['rbac', ...words]),
    filter: filterOf(generated(['proxy', ...words])),
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
