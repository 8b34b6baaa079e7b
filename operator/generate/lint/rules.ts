import type { Rule } from './diagnostic.ts';
import { acceptPathsExact, acceptPathsGiven, argumentVariables } from './rules/accept-paths.ts';
import {
  entryPoint,
  knownArguments,
  noCredentialFlags,
  noSecretInArguments,
} from './rules/arguments.ts';
import {
  disruptionBudget,
  filledNetworkPolicy,
  leaderElection,
} from './rules/companion-objects.ts';
import { noInjectedSidecars, twoContainers } from './rules/containers.ts';
import { operatorEnvironment, proxyEnvironment } from './rules/environment.ts';
import { fixedImages } from './rules/images.ts';
import { operatorMemory } from './rules/operator-memory.ts';
import {
  ownNamespaces,
  restrictedContainers,
  restrictedVolumes,
  serviceLinks,
} from './rules/pod-security.ts';
import { operatorProbes, proxyProbes } from './rules/probes.ts';
import {
  acceptHosts,
  fixedFlags,
  logLevel,
  operatorUrl,
  rejectMethods,
  rejectPaths,
} from './rules/proxy-flags.ts';
import { bound, REFUSED_RIGHTS, subjects } from './rules/rbac.ts';
import { memoryHeadroom, memoryLimits, proxyCpuLimit } from './rules/resources.ts';
import { grantedPaths, openRights } from './rules/rights-and-paths.ts';
import { stopOrder } from './rules/stop-order.ts';
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

/** Everything that is looked at, from the credentials outwards. */
export const RULES: readonly Rule[] = [
  tokenOnlyInProxy,
  tokenInProxy,
  tokenLifetime,
  automountOff,
  noTokenSecret,
  ownServiceAccount,
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
  leaderElection,
];
