/**
 * An example as in its Pod: behind a `kubectl proxy` with the filter that is generated for it, as a
 * ServiceAccount with the Roles that are generated for it, and no more. The proxy is the one of the lane: a stand-in in
 * `npm test`, a real one in `npm run test:tools`, where the policies that are generated for it are bound, too.
 */

import { policyObjects } from '@chancery/packaging/command';
import { startOperator, type TestOperator } from '@chancery/testing';
import type { Clock, Controller, KubernetesObject, Runnable, Webhook } from 'chancery';
import type { rbacV1 } from 'chancery/kubernetes';
import { proxyFilter, rbac } from 'chancery/low-level';
import { expect, onTestFinished, TestRunner } from 'vitest';
import { type Cluster, type ClusterSetup, clusterOfFile, clusterOfOneTest } from './cluster.ts';
import { type Place, StartedPlace } from './started-place.ts';

export type { Place } from './started-place.ts';

export interface Setup extends ClusterSetup {
  /** Of the ServiceAccount and of its Roles. */
  readonly name: string;
  readonly controllers: readonly Controller[];
  readonly runnables?: readonly Runnable[];
  /** Answered by every operator. The API server is not told of them. */
  readonly webhooks?: readonly Webhook[];
  /**
   * The same for each operator after the first one, without what that had in memory. Default: the first one's
   * own, for controllers without memory.
   */
  readonly restarted?: () => Pick<Setup, 'controllers' | 'runnables'>;
  /** The same for every operator, if they have to know the URL of their ambassador. Default: as above. */
  readonly started?: (url: string) => Pick<Setup, 'controllers' | 'runnables'>;
  /** What it does at the API server beyond what `controllers` and `runnables` declare. Default: nothing. */
  readonly declarations?: Parameters<typeof rbac>[0];
  /** Further namespaces that its policies know. The test grants the rights for them. Default: none. */
  readonly furtherNamespaces?: readonly string[];
  /** Its sources watch every namespace, of a cluster of its own. Default false: the test's own. */
  readonly allNamespaces?: boolean;
  /**
   * The test changes what is in no namespace, such as a definition, or how the API server behaves. Default
   * false: the tests of a file that have the same manifests and workloads share a cluster.
   */
  readonly ownCluster?: boolean;
  /** Replicas agree by a Lease on the one that works, by its default name or this one. Default false. */
  readonly leaderElection?: boolean | { readonly leaseName: string };
  /** It installs its definitions itself: `CHANCERY_INSTALL_CRDS`. Default false. */
  readonly installsCrds?: boolean;
  /** True for what it is not granted, though it declares that: what it is refused is no fault then. */
  readonly withheld?: (rule: rbacV1.PolicyRule) => boolean;
  /** The operator's. Default: the machine's. */
  readonly clock?: Clock;
  /** Settings, by environment variable. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Puts something between the operator and its ambassador: it is given the ambassador's URL, and answers the
   * one that the operator is given. Default: nothing.
   */
  readonly between?: (ambassador: string) => Promise<string>;
  /** The operator is not started until the test says `startOperator`. Default false. */
  readonly stopped?: boolean;
}

/** A place of the test's own; all in it ends with the test, which fails if the operator was refused anything. */
export async function startExample(setup: Setup): Promise<Place> {
  requireLaneWithPolicies();
  const { name, controllers, runnables, webhooks = [] } = setup;
  const { allNamespaces = false, manifests, workloads } = setup;
  const given = { ...(manifests && { manifests }), ...(workloads !== undefined && { workloads }) };
  const ownCluster = setup.ownCluster ?? allNamespaces;
  const cluster = await (ownCluster ? clusterOfOneTest : clusterOfFile)(given);
  const { env, home } = cluster;
  const { name: namespace, neighbours } = await cluster.namespace();
  const election = setup.leaderElection ?? false;
  const lease: { readonly leaseName?: string } = typeof election === 'object' ? election : {};
  const leaderElection = election !== false && { leaderElection: { namespace, ...lease } };
  const { installsCrds = false, withheld } = setup;
  const environment = {
    CHANCERY_INSTALL_CRDS: String(installsCrds),
    ...(lease.leaseName !== undefined && { CHANCERY_LEASE_NAME: lease.leaseName }),
    ...setup.environment,
  };
  const placed = (namespaces: readonly string[]) => ({
    ...leaderElection,
    installCrds: installsCrds,
    namespaces: allNamespaces ? undefined : namespaces,
  });
  const serviceAccount = { name, namespace: home };
  const further = [...(runnables ?? []).flatMap(declarationOf), ...(setup.declarations ?? [])];
  const declarations = [...controllers, ...webhooks, ...further];
  const declared = rbac(declarations, { ...placed([namespace]), name, serviceAccount });
  const granted = withheld === undefined ? declared : declared.map(without(withheld));
  await env.apply(granted as unknown as readonly KubernetesObject[], { namespace });
  onTestFinished(() => withdraw(granted, cluster));
  await bindPolicies(cluster, declarations, {
    ...placed([namespace, ...(setup.furtherNamespaces ?? [])]),
    ...{ name: `${name}-${namespace}`, serviceAccount },
  });
  const user = `system:serviceaccount:${home}:${name}`;
  const ambassador = await cluster.ambassador(user, proxyFilter(declarations, placed(neighbours)));
  const url = (await setup.between?.(ambassador)) ?? ambassador;

  let starts = 0;
  const start = (): TestOperator => {
    const isFirst = starts++ === 0;
    const own =
      setup.started?.(url) ?? ((!isFirst && setup.restarted?.()) || { controllers, runnables });
    const operator = startOperator({
      url,
      controllers: own.controllers,
      webhooks,
      ...leaderElection,
      ...(own.runnables && { runnables: own.runnables }),
      ...(!allNamespaces && { namespace }),
      ...(setup.clock && { clock: setup.clock }),
      environment,
    });
    onTestFinished(() => operator.stop());
    return operator;
  };
  const place = new StartedPlace(cluster, { namespace, allNamespaces, user, start });
  if (withheld === undefined) onTestFinished(() => expect(place.refusals()).toEqual([]));
  if (setup.stopped !== true) place.startOperator();
  return place;
}

/** What a runnable declares that it does at the API server. */
function declarationOf({ name, sources, permissions = [], fieldManagers = [name] }: Runnable) {
  return sources === undefined ? [] : [{ name, sources, permissions, fieldManagers }];
}

/** Files of the lanes in which policies are bound: any other file would never run under its policies. */
const RUNS_BEHIND_KUBECTL = /^examples\/[^/]+\/test\/|\.(ambassador|tools)\.test\.ts$/;

type Granted = ReturnType<typeof rbac>[number];

const without =
  (isWithheld: (rule: rbacV1.PolicyRule) => boolean) =>
  (granted: Granted): Granted => {
    if (!('rules' in granted)) return granted;
    const rules = granted.rules?.filter((rule) => !isWithheld(rule)) ?? [];
    return { ...granted, rules };
  };

function requireLaneWithPolicies(): void {
  const { file } = TestRunner.getCurrentTest() ?? {};
  if (RUNS_BEHIND_KUBECTL.test(file?.name ?? '')) return;
  throw new Error(`${file?.name} starts an operator: name it *.ambassador.test.ts`);
}

/** Until the test ends: the next test's operator is the same user, and has other namespaces. */
async function bindPolicies(
  { env }: Cluster,
  ...generated: Parameters<typeof policyObjects>
): Promise<void> {
  if (process.env.CHANCERY_TEST_POLICIES !== 'bound') return;
  const policies = await policyObjects(...generated);
  await env.apply(policies);
  onTestFinished(async () => {
    for (const { apiVersion, kind, metadata } of policies) {
      await env.delete(apiVersion, kind, undefined, metadata.name);
    }
  });
}

/** The next test's operator is the same user, and has no business in this namespace. */
async function withdraw(granted: readonly Granted[], { env }: Cluster): Promise<void> {
  for (const { apiVersion, kind, metadata } of granted) {
    if (kind === 'RoleBinding')
      await env.delete(apiVersion, kind, metadata.namespace, metadata.name);
  }
}
