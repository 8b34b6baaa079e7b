import type { Client } from '../../client/client.ts';
import type { Controller } from '../../controller/controller.ts';
import { definedResources } from '../../controller/controller.ts';
import type { Log } from '../../controller/reconciler.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { customResourceDefinitions } from '../../model/builtin.ts';
import type { Condition } from '../../model/condition.ts';
import type { DefinedResource } from '../../model/custom-resource-definition.ts';
import type { Resource } from '../../model/resource.ts';
import { ApiError, isConflict } from '../../model/status.ts';
import {
  type DefinitionVerdict,
  judgeDefinition,
  type LiveDefinition,
} from './definition-verdict.ts';

/** Options of `ensureCrd`. */
export interface EnsureCrdOptions {
  /** The clock of the process. */
  readonly clock: Clock;
  /** Aborts the installation: `ensureCrd` throws the reason of the signal. */
  readonly signal: AbortSignal;
  /** Gets a line for each definition that was installed, upgraded or kept. */
  readonly log: Log;
  /**
   * True: takes over fields of the definition that another field manager applied, for example a deployment of
   * manifests. Default false: such fields are an error, because the two managers would revert each other.
   * Never drops a version in which objects may be stored. Setting: `CHANCERY_INSTALL_CRDS=force`.
   */
  readonly force?: boolean;
}

/** What happened to a definition. `kept`: the installed definition is newer. */
type EnsuredCrd = 'unchanged' | 'installed' | 'upgraded' | 'kept';

const DEFINITIONS = customResourceDefinitions as Resource as Resource<LiveDefinition>;

/**
 * How long to wait until a definition is established. An API server needs less than a second for one
 * definition, and less than five seconds for several.
 */
const ESTABLISH_TIMEOUT_MS: number = 60_000;

const POLL_MS = 250;

/**
 * Installs or upgrades the definition of `resource`, and waits until it is established.
 *
 * An absent definition is installed and a different one is upgraded, both by server-side apply. If the
 * installed definition is equal or newer, nothing is written; `judgeDefinition` decides which one is newer.
 * Nothing is ever deleted. Several replicas may call this at the same time. If `client` is the client of a
 * reconciler, the sources of the reconciler's manager poll for the resource as soon as the definition is
 * established.
 *
 * @throws ConfigurationError `CONFIG` when a right is missing, with the rule to add to a ClusterRole; when
 *   another definition already uses one of its names; when another field manager owns a field that would
 *   change; when the definition cannot become the declared one (scope, kind, stored versions); when it is not
 *   established, or still being deleted, after 60 s.
 * @throws ApiError, AmbassadorError, ProtocolError in the same cases as the client.
 * @throws `signal.reason` when aborted.
 */
export async function ensureCrd(
  client: Client,
  resource: DefinedResource,
  options: EnsureCrdOptions,
): Promise<EnsuredCrd> {
  const { clock, signal } = options;
  const { name } = resource.definition.metadata;
  const giveUpAt = clock.monotonic() + ESTABLISH_TIMEOUT_MS;
  let outcome: EnsuredCrd = 'unchanged';
  for (;;) {
    const live = await find(client, name, signal);
    const step = await take(client, resource, live, options);
    if (step !== undefined && outcomeOf(step.verdict) !== 'unchanged') {
      outcome = outcomeOf(step.verdict);
    }
    if (step !== undefined && isTrue(step.definition, 'Established')) {
      report(outcome, step.definition, options.log);
      return outcome;
    }
    // A definition that was written a moment ago still has its old conditions.
    if (step !== undefined && step.definition === live) refuseTakenNames(live);
    if (clock.monotonic() >= giveUpAt) throw tooLate(name, live);
    await sleep(clock, POLL_MS, signal);
  }
}

/**
 * Calls `ensureCrd` for every resource of `controllers` that includes its definition, one after another.
 *
 * @throws in the same cases as `ensureCrd`, for the first definition that fails.
 */
export async function ensureCrds(
  controllers: readonly Controller[],
  client: Client,
  options: EnsureCrdOptions,
): Promise<ReadonlyMap<string, EnsuredCrd>> {
  const done = new Map<string, EnsuredCrd>();
  for (const resource of definedResources(controllers)) {
    done.set(resource.definition.metadata.name, await ensureCrd(client, resource, options));
  }
  return done;
}

interface Step {
  readonly verdict: DefinitionVerdict;
  /** The definition after this step of the installation. */
  readonly definition: LiveDefinition;
}

/**
 * Takes the next step of the installation. Returns undefined if the step has to wait, or if another client
 * wrote first.
 */
async function take(
  client: Client,
  resource: DefinedResource,
  live: LiveDefinition | undefined,
  { signal, force = false }: EnsureCrdOptions,
): Promise<Step | undefined> {
  if (live?.metadata.deletionTimestamp !== undefined) return undefined;
  const verdict = judgeDefinition(resource, live);
  if (verdict.step === 'nothing' || verdict.step === 'keep') {
    return live === undefined ? undefined : { verdict, definition: live };
  }
  try {
    const definition = await client.apply(DEFINITIONS, verdict.object, { signal, force });
    return { verdict, definition };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { name } = resource.definition.metadata;
    if (error.status === 403) throw missingRight(error, 'patch', name);
    if (isOwnedByOthers(error)) throw ownedByOthers(error, name);
    if (isConflict(error)) return undefined; // changed since it was read: read it again
    throw error;
  }
}

async function find(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<LiveDefinition | undefined> {
  try {
    return await client.find(DEFINITIONS, { name }, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) throw missingRight(error, 'get', name);
    throw error;
  }
}

function outcomeOf({ step }: DefinitionVerdict): EnsuredCrd {
  const outcomes = {
    nothing: 'unchanged',
    keep: 'kept',
    install: 'installed',
    upgrade: 'upgraded',
  } as const;
  return outcomes[step];
}

function report(outcome: EnsuredCrd, live: LiveDefinition, log: Log): void {
  const definition = live.metadata.name;
  // After an upgrade the resource is still served under its previous names. So this is only a warning.
  const refused = outcome === 'upgraded' ? undefined : refusedNames(live);
  if (refused !== undefined) log.warn({ definition, reason: refused.message }, 'names are taken');
  if (outcome === 'unchanged') log.debug({ definition }, 'definition is up to date');
  else if (outcome === 'kept')
    log.warn({ definition }, 'a newer definition is installed, and kept');
  else log.info({ definition, outcome }, 'definition established');
}

function isOwnedByOthers(error: ApiError): boolean {
  const causes = error.details.causes ?? [];
  return causes.some(({ reason }) => reason === 'FieldManagerConflict');
}

function ownedByOthers(error: ApiError, definition: string): ConfigurationError {
  const managers = (error.details.causes ?? []).flatMap(
    ({ message = '' }) => /conflict with "([^"]+)"/.exec(message)?.[1] ?? [],
  );
  return new ConfigurationError(
    'somebody else applied another definition: let one of the two install it, or take it over with CHANCERY_INSTALL_CRDS=force (in a program: force: true)',
    { cause: error, context: { definition, managers: [...new Set(managers)].join(',') } },
  );
}

function isTrue({ status }: LiveDefinition, type: string): boolean {
  return status?.conditions?.some((is) => is.type === type && is.status === 'True') === true;
}

function refuseTakenNames(live: LiveDefinition): void {
  const refused = refusedNames(live);
  if (refused === undefined) return;
  throw new ConfigurationError(
    `names of the definition are taken: ${refused.message}: choose others, or delete the definition that has them`,
    { context: { definition: live.metadata.name, reason: refused.reason } },
  );
}

function refusedNames({ status }: LiveDefinition): Condition | undefined {
  return status?.conditions?.find((is) => is.type === 'NamesAccepted' && is.status === 'False');
}

function tooLate(definition: string, live: LiveDefinition | undefined): ConfigurationError {
  const isGoing = live?.metadata.deletionTimestamp !== undefined;
  const message = isGoing
    ? 'the definition is being deleted and still exists: its objects may have finalizers that no controller removes'
    : 'the definition is not established: look at its conditions with kubectl describe crd';
  return new ConfigurationError(message, {
    context: { definition, afterMs: ESTABLISH_TIMEOUT_MS },
  });
}

/** The error for a missing right, with the rule to add to a ClusterRole. */
function missingRight(
  refusal: ApiError,
  asked: 'get' | 'patch',
  definition: string,
): ConfigurationError {
  // An apply that creates an object also needs the right to create. The server's message contains the verb
  // that is missing.
  const verb = /cannot (create|get|patch) resource/.exec(refusal.message)?.[1] ?? asked;
  const rule = `{ apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [${definition}], verbs: [get, create, patch] }`;
  return new ConfigurationError(
    `no right to ${verb} customresourcedefinitions.apiextensions.k8s.io ${definition}: add to a ClusterRole of the operator: ${rule}`,
    {
      cause: refusal,
      context: {
        verb,
        resource: 'customresourcedefinitions.apiextensions.k8s.io',
        resourceName: definition,
      },
    },
  );
}
