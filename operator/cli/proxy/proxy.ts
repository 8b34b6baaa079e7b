import type { Writable } from 'node:stream';
import { proxyFilter } from '../../generate/filter/proxy-filter.ts';
import { GuardedChild } from '../child/guarded-child.ts';
import type { Command, ExitCode, Io } from '../command.ts';
import { controllersOf } from '../generate/generate.ts';
import { parseProxyArguments } from './arguments.ts';
import { findUsableKubectl } from './find-kubectl.ts';
import { PROXY_DESCRIPTION } from './help.ts';
import { kubectlProxyFlags } from './proxy-flags.ts';

/** `chancery proxy`: runs `kubectl proxy` with the filter of the modules, until the process is asked to stop. */
export function proxyCommand(): Command {
  return {
    ...PROXY_DESCRIPTION,

    async run(args: readonly string[], io: Io): Promise<ExitCode> {
      const parsed = parseProxyArguments(args);
      const kubectl = await findUsableKubectl(io.env);
      const controllers = await controllersOf(parsed.modules);
      const { namespace, namespaces, installCrds } = parsed;
      const isElected =
        parsed.leaderElection ?? controllers.some(({ needsLeaderElection }) => needsLeaderElection);
      const filter = proxyFilter(controllers, {
        namespaces,
        installCrds,
        ...(isElected && { leaderElection: { namespace } }),
      });
      const child = new GuardedChild({
        program: kubectl.path,
        args: [...kubectlProxyFlags(filter, parsed.port, parsed.upstream), ...parsed.more],
        // A kuberc could turn the filter off.
        env: { ...io.env, KUBERC: 'off' },
      });
      pass(child, io.stdout, io.stderr);
      const terminate = (): void => child.terminate();
      io.signal.addEventListener('abort', terminate, { once: true });
      if (io.signal.aborted) terminate();
      const code = await child.exit;
      // kubectl may end with a code that `ExitCode` does not list. It is passed on unchanged.
      return io.signal.aborted ? 0 : (code as ExitCode);
    },
  };
}

/** Passes on the output of a child. */
export function pass(child: GuardedChild, stdout: Writable, stderr: Writable): void {
  child.stdout.pipe(stdout, { end: false });
  child.stderr.pipe(stderr, { end: false });
}
