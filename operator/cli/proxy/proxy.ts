import type { Writable } from 'node:stream';
import { proxyFilter } from '../../access/filter/proxy-filter.ts';
import { GuardedChild } from '../child/guarded-child.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { splitAtDashes } from '../flags.ts';
import { decidedBy, loadDeclared } from '../generate/generate.ts';
import { takeArguments } from '../loading/load-modules.ts';
import { resolveToolkit } from '../loading/toolkit-hooks.ts';
import { proxyArguments } from './arguments.ts';
import { findUsableKubectl } from './find-kubectl.ts';
import { kubectlProxyFlags } from './proxy-flags.ts';
import type { PROXY } from './table.ts';

/** `chancery proxy`: runs `kubectl proxy` with the filter of the modules, until the process is asked to stop. */
export async function proxy(given: GivenTo<typeof PROXY>, io: Io): Promise<ExitCode> {
  const asked = proxyArguments(given);
  const kubectl = await findUsableKubectl(io.env);
  resolveToolkit();
  const { own, rest } = (await takeArguments(asked.modules))
    ? splitAtDashes(asked.more)
    : { own: [], rest: asked.more };
  const declaring = { from: 'modules', modules: asked.modules, moduleArgs: own } as const;
  const { declared, settings } = await loadDeclared(declaring, 'proxy', io, io.env);
  const parsed = decidedBy(asked, settings);
  const { namespace, namespaces, installCrds, leaseName } = parsed;
  const isElected =
    parsed.leaderElection ?? declared.some(({ needsLeaderElection = true }) => needsLeaderElection);
  const filter = proxyFilter(declared, {
    namespaces,
    installCrds,
    ...(isElected && {
      leaderElection: {
        namespace,
        sharded: settings.sharding !== undefined,
        ...(leaseName !== undefined && { leaseName }),
      },
    }),
  });
  const child = new GuardedChild({
    program: kubectl.path,
    args: [...kubectlProxyFlags(filter, parsed.port, parsed.upstream), ...rest],
    // A kuberc file could turn the filter off.
    env: { ...io.env, KUBERC: 'off' },
  });
  pass(child, io.stdout, io.stderr);
  const terminate = (): void => child.terminate();
  io.signal.addEventListener('abort', terminate, { once: true });
  if (io.signal.aborted) terminate();
  const code = await child.exit;
  // kubectl may end with a code that `ExitCode` does not list. It is returned unchanged.
  return io.signal.aborted ? 0 : (code as ExitCode);
}

/** Passes on the output of a child. */
export function pass(child: GuardedChild, stdout: Writable, stderr: Writable): void {
  child.stdout.pipe(stdout, { end: false });
  child.stderr.pipe(stderr, { end: false });
}
