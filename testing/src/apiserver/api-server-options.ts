import type { Clock } from 'chancery';
import type { AuthenticationOptions } from './auth/authentication.ts';
import type { AuthorizationMode } from './auth/authorization.ts';
import type { BehaviourOptions } from './behaviour/behaviour.ts';
import type { WorkloadOptions } from './controllers/workloads.ts';
import type { FaultRule } from './fault-rules/fault-rule.ts';
import type { StorageSnapshot } from './storage/snapshot.ts';
import type { TlsOptions } from './tls/secure-port.ts';

export interface ApiServerOptions extends BehaviourOptions {
  /** The clock of the server. Default: the system clock. */
  readonly clock?: Clock;
  /** The port to listen on. If omitted or 0, the server takes any free port. */
  readonly port?: number;
  /**
   * The address to listen on. Default 127.0.0.1. On any other address, every client that reaches
   * the port has all rights.
   */
  readonly address?: string;
  /**
   * Uses TLS instead of plain HTTP. The property `secure` of the server gives access to the TLS port. As in
   * kube-apiserver, a request without credentials comes from `system:anonymous`. With `AlwaysAllow`, it is
   * refused with 401. The option `authentication.anonymous` overrides both. If omitted, the server uses plain
   * HTTP.
   */
  readonly tls?: TlsOptions;
  /**
   * The addresses of the services that webhook configurations refer to. Each address is a URL or `HOST:PORT`,
   * keyed by `NAMESPACE/NAME`, or by `NAMESPACE/NAME:PORT` for one of several ports, such as
   * `{ 'shop/webhooks': 'http://127.0.0.1:9440' }`. For a URL with `http://`, no certificate is needed.
   * `HOST:PORT` means `https`. If omitted, no service has an endpoint.
   */
  readonly webhookServices?: Readonly<Record<string, string>>;
  /** How long a client may take to send a body, in milliseconds. Default 60 000, as in kube-apiserver. */
  readonly bodyTimeoutMs?: number;
  /** The maximum number of requests in `requests`. Default 10 000, far more than one test makes. */
  readonly requestLimit?: number;
  /**
   * The options of the controllers that run workloads. Default false: there are no controllers, only the API.
   */
  readonly workloads?: WorkloadOptions | false;
  /**
   * Whether a CustomResourceDefinition has the delays of a real server: its names are accepted after 20 ms,
   * and it is established 15 ms later. The first watches and lists are refused with 429 for 50 ms. Requests
   * that create objects in the first two seconds are delayed by two seconds. While the definition is being
   * deleted, the server checks every 5 s whether objects are left. Default false: everything happens at once,
   * so that tests need not wait.
   */
  readonly definitionDelays?: boolean;
  /**
   * How the server finds the sender of a request. If omitted, every request without a token comes from an
   * administrator, except on the ports of `urlFor`.
   */
  readonly authentication?: AuthenticationOptions;
  /**
   * The authorization mode. Default `AlwaysAllow`. With `RBAC`, the server's Roles and bindings apply, and
   * each change of them takes effect at once. The server then has the ClusterRoles that every cluster has
   * (`cluster-admin`, `admin`, `edit`, `view`, `system:discovery` and others, with their bindings). With
   * `RBAC,AlwaysAllow` the ClusterRoles also exist, but every request is allowed.
   */
  readonly authorization?: AuthorizationMode;
  /**
   * The initial contents, from another server or from `readSnapshot`. Objects, uids and the revision are
   * restored. Objects that every cluster has are added if the snapshot lacks them. Default: an empty cluster.
   */
  readonly snapshot?: StorageSnapshot;
  /** The initial fault rules. Setting the server's `faults` replaces them. Default: none. */
  readonly faults?: readonly FaultRule[];
}
