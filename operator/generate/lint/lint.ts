import { ConfigurationError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { CacheSize } from './cache-memory.ts';
import type { Diagnostic, Problem, Rule } from './diagnostic.ts';
import { type Installation, installationsOf } from './installation.ts';
import { acceptPathsExact, acceptPathsGiven, argumentVariables } from './rules/accept-paths.ts';
import {
  entryPoint,
  knownArguments,
  noCredentialFlags,
  noSecretInArguments,
} from './rules/arguments.ts';
import { closedWebhooks } from './rules/closed-webhooks.ts';
import {
  disruptionBudget,
  filledNetworkPolicy,
  leaderElection,
} from './rules/companion-objects.ts';
import { fixedImages, noInjectedSidecars, twoContainers } from './rules/containers.ts';
import { operatorEnvironment, proxyEnvironment } from './rules/environment.ts';
import { gateCertificate, gateConfiguration, guardedMetrics, keyOnlyInGate } from './rules/gate.ts';
import {
  ownNamespaces,
  restrictedContainers,
  restrictedVolumes,
  serviceLinks,
} from './rules/pod-security.ts';
import { operatorProbes, proxyProbes, stopOrder } from './rules/probes.ts';
import {
  acceptHosts,
  fixedFlags,
  logLevel,
  operatorUrl,
  rejectMethods,
  rejectPaths,
} from './rules/proxy-flags.ts';
import { bound, REFUSED_RIGHTS, subjects } from './rules/rbac.ts';
import { memoryHeadroom, memoryLimits, operatorMemory, proxyCpuLimit } from './rules/resources.ts';
import { grantedPaths, openRights } from './rules/rights-and-paths.ts';
import { sharding } from './rules/sharding.ts';
import {
  automountOff,
  noTokenSecret,
  ownServiceAccount,
  tokenInProxy,
  tokenLifetime,
  tokenOnlyInProxy,
} from './rules/token.ts';
import {
  distinctUsers,
  noGroupForFiles,
  nothingShared,
  numericUsers,
  unixSocket,
} from './rules/users.ts';
import { webhookSelectors } from './rules/webhook-selectors.ts';
import { requireShapes } from './shape.ts';

/**
 * Finds problems in rendered manifests of operators, as far as they are visible there: who can read
 * the token, what the ambassador allows, and whether RBAC and the filter agree.
 *
 * Checks every workload with an ambassador, together with the other objects. An ambassador is
 * recognised by its image or arguments. Objects that do not belong to such a workload are not
 * checked.
 *
 * An empty result proves nothing: changes by admission webhooks, and RBAC from other manifests, are
 * not visible here.
 *
 * @param options - `caches`: the size of the operator's caches. If omitted, the memory limit is not
 * checked.
 * @throws ConfigurationError `CONFIG` when no workload has an ambassador, so that nothing was
 * checked; for an object that the API server would not accept; and for `caches` with several
 * workloads, because it is unknown which workload has these caches.
 */
export function lint(
  objects: readonly KubernetesObject[],
  { caches }: { readonly caches?: CacheSize | undefined } = {},
): readonly Diagnostic[] {
  requireShapes(objects);
  const installations = installationsOf(objects, caches);
  if (installations.length === 0) {
    throw new ConfigurationError(
      `nothing to lint: none of ${objects.length} objects has a container with the image ` +
        'chancery-proxy, or with --accept-paths among its arguments',
    );
  }
  if (caches !== undefined && installations.length > 1) {
    const names = installations.map(({ object }) => object).join(' and ');
    throw new ConfigurationError(
      `one status page cannot describe ${installations.length} workloads (${names}); lint each on its own`,
    );
  }
  const diagnostics = installations.flatMap((installation) =>
    RULES.flatMap((rule) =>
      rule.check(installation).map((each) => asDiagnostic(each, rule, installation)),
    ),
  );
  // A problem that two workloads share is reported once.
  return [
    ...new Map(diagnostics.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic])).values(),
  ];
}

function asDiagnostic(problem: Problem, rule: Rule, installation: Installation): Diagnostic {
  const { level = 'error', object = installation.object, path, wrong, why, todo } = problem;
  return { rule: rule.id, level, object, path, message: `${path} ${wrong}: ${why}; ${todo}` };
}

/** All rules. The rules about credentials come first. */
export const RULES: readonly Rule[] = [
  tokenOnlyInProxy,
  tokenInProxy,
  tokenLifetime,
  automountOff,
  noTokenSecret,
  ownServiceAccount,
  keyOnlyInGate,
  gateCertificate,
  gateConfiguration,
  guardedMetrics,
  noCredentialFlags,
  noSecretInArguments,
  proxyEnvironment,
  operatorEnvironment,
  entryPoint,
  knownArguments,
  fixedFlags,
  acceptHosts,
  operatorUrl,
  logLevel,
  acceptPathsGiven,
  acceptPathsExact,
  argumentVariables,
  rejectPaths,
  rejectMethods,
  openRights,
  grantedPaths,
  twoContainers,
  noInjectedSidecars,
  ownNamespaces,
  restrictedContainers,
  restrictedVolumes,
  numericUsers,
  distinctUsers,
  noGroupForFiles,
  nothingShared,
  unixSocket,
  serviceLinks,
  proxyProbes,
  operatorProbes,
  stopOrder,
  memoryLimits,
  memoryHeadroom,
  operatorMemory,
  proxyCpuLimit,
  fixedImages,
  bound,
  subjects,
  ...REFUSED_RIGHTS,
  filledNetworkPolicy,
  disruptionBudget,
  closedWebhooks,
  webhookSelectors,
  leaderElection,
  sharding,
];
