import type { Clock } from 'chancery';
import type { AuthenticationOptions } from './auth/authentication.ts';
import type { AuthorizationMode } from './auth/authorization.ts';
import type { BehaviourOptions } from './behaviour/behaviour.ts';
import type { WorkloadOptions } from './controllers/workloads.ts';
import type { FaultRule } from './fault-rules/fault-rule.ts';
import type { StorageSnapshot } from './storage/snapshot.ts';
import type { TlsOptions } from './tls/secure-port.ts';

export interface ApiServerOptions extends BehaviourOptions {
  /** If omitted, the system clock. */
  readonly clock?: Clock;
  /** If omitted or 0, any free port. */
  readonly port?: number;
  /**
   * The address to listen on. Default 127.0.0.1. On any other address, every client that reaches
   * the port has all rights.
   */
  readonly address?: string;
  /**
   * TLS instead of plain HTTP, with the settings that `secure` then shows. A request without
   * credentials then comes from `system:anonymous`; with `AlwaysAllow` it is refused (401), as in
   * kube-apiserver. The option `authentication.anonymous` overrides both. If omitted, plain HTTP.
   */
  readonly tls?: TlsOptions;
  /**
   * The addresses of the services of webhooks: a URL or `HOST:PORT`, keyed by `NAMESPACE/NAME`, or
   * by `NAMESPACE/NAME:PORT` for one of several ports, such as
   * `{ 'shop/webhooks': 'http://127.0.0.1:9440' }`. With `http://` no certificate is needed.
   * `HOST:PORT` means `https`. If omitted, no service has an endpoint.
   */
  readonly webhookServices?: Readonly<Record<string, string>>;
  /**
   * The time limit for a client to send a body, in milliseconds. Default 60 000, as in
   * kube-apiserver.
   */
  readonly bodyTimeoutMs?: number;
  /** The number of requests that `requests` keeps. Default 10 000, far more than one test makes. */
  readonly requestLimit?: number;
  /** The controllers that run workloads. Default false: only the API is served. */
  readonly workloads?: WorkloadOptions | false;
  /**
   * Whether a CustomResourceDefinition has the delays of a real server: names are accepted after 20
   * ms and established 15 ms later; the first watches and lists are refused with 429 for 50 ms;
   * creates in the first two seconds wait for two seconds; objects with finalizers are checked
   * every 5 s. Default false: everything happens at once, so that tests need not wait.
   */
  readonly definitionDelays?: boolean;
  /**
   * How the sender of a request is found. If omitted, every request without a token comes from an
   * administrator, except on the ports of `urlFor`.
   */
  readonly authentication?: AuthenticationOptions;
  /**
   * Default `AlwaysAllow`. With `RBAC` the server's Roles and bindings apply, and each change of
   * them takes effect at once. The ClusterRoles of every cluster exist (`cluster-admin`, `admin`,
   * `edit`, `view`, `system:discovery` and others, with their bindings). With `RBAC,AlwaysAllow`
   * they exist too, and every request is allowed.
   */
  readonly authorization?: AuthorizationMode;
  /**
   * The initial contents, from another server or from `readSnapshot`. Objects, uids and the
   * revision are restored. Objects that every cluster has are added if the snapshot lacks them. If
   * omitted, an empty cluster.
   */
  readonly snapshot?: StorageSnapshot;
  /** Initial fault rules. Setting the server's `faults` replaces them. If omitted, none. */
  readonly faults?: readonly FaultRule[];
}
