import { filterOf, type ProxyFilter } from '../../access/filter/proxy-filter.ts';
import type { Placement } from '../../access/placement.ts';
import { type RbacRole, type RbacRoleBinding, rbacOf } from '../../access/rbac.ts';
import { accessOf } from '../../access/required-access.ts';
import type { Controller } from '../../controller/controller.ts';
import { crdDocuments } from '../../generate/manifests/operator-manifests.ts';
import type { Settings } from '../../manager/settings/settings.ts';
import type { ListenAddress } from '../../manager/settings/webhook-listen.ts';
import { CONVERSION_PATH } from '../../model/custom-resource-definition.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Webhook } from '../../webhook/webhook.ts';
import { localConfigurations } from '../../webhook/webhook-configurations.ts';

/** The objects and the filter that the declarations of an operator require. */
export interface Declarations {
  /** The name of the operator's ServiceAccount and roles. */
  readonly name: string;
  readonly filter: ProxyFilter;
  readonly roles: readonly (RbacRole | RbacRoleBinding)[];
  /** CustomResourceDefinitions as YAML, one per document. */
  readonly definitions: readonly string[];
  /**
   * The URL at which the operator converts objects over plain HTTP. Undefined when the API server
   * cannot call this URL.
   */
  readonly conversionUrl: string | undefined;
  /** Webhook configurations, for an API server that calls plain HTTP. */
  readonly webhooks: readonly KubernetesObject[];
}

export interface DevPlace {
  /** The namespace of the operator. */
  readonly namespace: string;
  /** True when the operator watches every namespace, and not only the namespace in which it runs. */
  readonly allNamespaces: boolean;
}

/**
 * The objects and the filter for these controllers and webhooks.
 *
 * @param webhooks - the webhooks, and the address at which the operator will answer them. The API
 * server cannot call a unix socket.
 * @param settings - the settings that the modules set. `chancery dev` sets all other settings.
 * @throws ConfigurationError `CONFIG` for a declaration from which no filter or role can be
 * generated.
 */
export function declarationsOf(
  controllers: readonly Controller[],
  { namespace, allNamespaces }: DevPlace,
  { webhooks, listen }: { readonly webhooks: readonly Webhook[]; readonly listen: ListenAddress },
  settings: Partial<Settings> = {},
): Declarations {
  const [first, ...others] = controllers;
  const name = first !== undefined && others.length === 0 ? first.name : 'operator';
  const { leaderElection, sharding } = settings;
  const election = sharding ?? leaderElection;
  const namespaces = allNamespaces ? undefined : [namespace];
  const placement: Placement = {
    namespaces: 'namespaces' in settings ? settings.namespaces : namespaces,
    ...(election && {
      leaderElection: {
        namespace: election.leaseNamespace,
        sharded: sharding !== undefined,
        ...(election.leaseName !== undefined && { leaseName: election.leaseName }),
      },
    }),
  };
  const declared = [...controllers, ...webhooks];
  const accesses = accessOf(declared, placement);
  const serviceAccount = { name, namespace };
  const url =
    listen.socket === undefined
      ? `http://${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${listen.port}`
      : undefined;
  return {
    name,
    filter: filterOf(accesses),
    roles: rbacOf(accesses, { name, serviceAccount }),
    definitions: crdDocuments(declared).map(({ text }) => text),
    conversionUrl: url && `${url}${CONVERSION_PATH}`,
    webhooks: url === undefined ? [] : localConfigurations(webhooks, { name, url }),
  };
}
