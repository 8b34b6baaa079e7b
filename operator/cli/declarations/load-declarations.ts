import { declaringRunnables } from '../../manager/runnable.ts';
import type { Settings } from '../../manager/settings/settings.ts';
import type { Io } from '../command.ts';
import { loadModules, merged } from '../loading/load-modules.ts';
import { loadPackage } from '../loading/load-package.ts';
import { resolveToolkit } from '../loading/toolkit-hooks.ts';
import type { Declaring, Generating } from './declaring.ts';

/**
 * The default name of an operator that runs Metacontroller's controllers. It is not
 * `metacontroller`, because the namespace and the ClusterRole of the original Metacontroller have
 * that name, and both operators may be installed.
 */
const CONTROLLERS_NAME = 'chancery-metacontroller';

/** Declarations, and the settings that modules or options set. */
export interface Declarations {
  readonly declared: readonly Generating[];
  /**
   * All controllers and runnables that may need a leader, including runnables without declarations.
   * The name of the first one becomes the name of the Lease.
   */
  readonly electing: readonly { readonly name: string; readonly needsLeaderElection?: boolean }[];
  readonly settings: Partial<Settings>;
  /**
   * The name of the operator, unless the command line sets one. If undefined, the operator has the
   * name of the only declaration.
   */
  readonly name?: string;
  /** Advice for the user. Each item is one line. */
  readonly hints: readonly string[];
}

/**
 * Loads the declarations from their source.
 *
 * @param command - the command that loads them, such as `generate rbac`. Messages contain it.
 * @param env - the environment of modules. Their arguments may take defaults from it.
 * @throws ConfigurationError `CONFIG` when a module, a hook or a controller cannot be loaded.
 */
export async function loadDeclarations(
  declaring: Declaring,
  command: string,
  io: Io,
  env: Io['env'] = io.env,
): Promise<Declarations> {
  switch (declaring.from) {
    case 'modules':
      return fromModules(declaring.modules, declaring.moduleArgs, env);
    case 'hooks': {
      const { declaredHooks } = await loadPackage('@chancery/hooks/command', `${command} --hooks`);
      const hooks = await declaredHooks(declaring.dir, declaring.crds, io);
      const { hints, name, webhooks } = hooks;
      const declared = [hooks, ...webhooks];
      return { declared, electing: [hooks], settings: {}, name, hints };
    }
    case 'metacontroller': {
      const entry = '@chancery/metacontroller/command';
      const { declaredControllers } = await loadPackage(entry, `${command} --from-metacontroller`);
      const { declarations, hints, elects } = await declaredControllers(declaring, io);
      const settings = elects ? {} : { leaderElection: undefined };
      const electing = [{ name: 'metacontroller' }];
      return { declared: declarations, electing, settings, name: CONTROLLERS_NAME, hints };
    }
  }
}

async function fromModules(
  modules: readonly string[],
  args: readonly string[],
  environment: Io['env'],
): Promise<Declarations> {
  resolveToolkit();
  const loaded = await loadModules(modules, { args, environment });
  const { controllers, runnables, webhooks, settings } = merged(loaded, modules);
  const declared = [...controllers, ...declaringRunnables(runnables), ...webhooks];
  return { declared, electing: [...controllers, ...runnables], settings, hints: [] };
}
