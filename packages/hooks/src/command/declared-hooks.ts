import { type Clock, ConfigurationError } from 'chancery';
import {
  createYamlReader,
  type DeclaredHooks,
  type Io,
  knownKinds,
  settingsFrom,
} from 'chancery/internal';
import { runProgram, systemClock } from 'chancery/low-level';
import { hintsFor } from '../config/hints.ts';
import { loadHooks } from '../discovery/load-hooks.ts';
import type { Hook } from '../hook.ts';
import { fieldManagersOf } from '../patches/field-manager.ts';
import {
  type HookConvertedResource,
  hookConversions,
  missingConversions,
} from '../reviews/hook-conversions.ts';
import { type AskReview, HookReviews } from '../reviews/hook-reviews.ts';
import { hookWebhooks } from '../reviews/hook-webhooks.ts';
import { hooksAccess } from '../rights/hooks-access.ts';
import { hookEnvironment } from '../run/hook-environment.ts';
import { definitionsFor } from './definitions.ts';

/**
 * The declarations of the hooks in a folder. Each hook is started with `--config`. No request is
 * sent to the API server.
 *
 * @param crds - as in `definitionsFor`.
 * @throws ConfigurationError `CONFIG` when a hook is broken, or when the definition of a kind or a
 * resource is missing.
 */
export async function declaredHooks(
  dir: string,
  crds: readonly string[] | undefined,
  io: Io,
  clock: Clock = systemClock,
): Promise<DeclaredHooks> {
  const definitions = await definitionsFor(dir, crds, io);
  const known = knownKinds(definitions);
  const env = hookEnvironment(io.env, settingsFrom(io.env).apiUrl);
  const yaml = createYamlReader({ clock });
  const loading = { env, runProgram, yaml, clock, signal: io.signal };
  const { hooks, helpers } = await loadHooks(dir, loading).finally(() => yaml.close());
  const { sources, permissions, unknown } = hooksAccess(hooks, known);
  if (unknown.length > 0) {
    throw new ConfigurationError(
      `the rights need the definitions of ${unknown.join(', ')}; name their files with --crd, or put them into ` +
        `the folder ${dir}/crds`,
    );
  }
  const { ask } = new HookReviews();
  const converted = definitionsOf(hooks, definitions, ask);
  return {
    ...{ name: 'hooks', sources, permissions, needsLeaderElection: true },
    webhooks: hooks.flatMap((hook) => naming(hook, () => hookWebhooks(hook, { known, ask }))),
    definitions: converted,
    fieldManagers: fieldManagersOf(hooks),
    hints: [
      ...helpers.map(
        (file) => `${file}: no hook, because it has neither an execute bit nor a #! line`,
      ),
      ...hooks.flatMap(hintsFor),
      ...missingConversions(converted),
      ...(crds === undefined ? [] : hooks.flatMap((hook) => kindHints(hook, dir))),
    ],
  };
}

function definitionsOf(
  hooks: readonly Hook[],
  definitions: readonly unknown[],
  ask: AskReview,
): readonly HookConvertedResource[] {
  for (const hook of hooks) naming(hook, () => hookConversions([hook], definitions, ask));
  return hookConversions(hooks, definitions, ask);
}

/** Adds the name of the hook in front of the message of a ConfigurationError. */
function naming<T>({ name }: Hook, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(`${name}: ${error.message}`, {
      cause: error,
      context: { hook: name },
    });
  }
}

/**
 * Warns of kinds that a Pod cannot discover. The generated filter does not open the discovery paths
 * of unknown groups.
 */
function kindHints({ name, config }: Hook, dir: string): readonly string[] {
  const builtIn = knownKinds();
  return config.kubernetes.flatMap(({ kind, apiVersion }, at) => {
    if (apiVersion !== undefined || builtIn(kind) !== undefined) return [];
    return [
      `${name}: kubernetes[${at}]: the Pod cannot find the kind ${kind} without its definition; give the binding an ` +
        `apiVersion, or put the definition into ${dir}/crds`,
    ];
  });
}
